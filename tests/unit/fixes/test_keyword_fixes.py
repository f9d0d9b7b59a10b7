"""Fixes that set one keyword of one call: the right call, once, and its layout kept."""

from __future__ import annotations

import pytest

from tests.unit.fixes.check import check_advice, check_fix, check_none

OPTIMIZER = [
    ("opt = AdamW(net.parameters(), lr=1e-3)", "opt = AdamW(net.parameters(), lr=1e-3, {})"),
    (
        "opt = torch.optim.AdamW(  # all of them\n    net.parameters(),\n    lr=1e-3,  # found\n)",
        "opt = torch.optim.AdamW(  # all of them\n    net.parameters(),\n    lr=1e-3,  # found\n"
        "    {},\n)",
    ),
    ("self.opt = optim.AdamW(ps, 1e-3); x = 1", "self.opt = optim.AdamW(ps, 1e-3, {}); x = 1"),
]


@pytest.mark.parametrize(("rule", "argument"), [
    ("optimizer-fused", "fused=True"), ("optimizer-foreach", "foreach=True"),
])  # fmt: skip
@pytest.mark.parametrize(("before", "after"), OPTIMIZER)
def test_an_optimizer_gets_its_keyword(rule: str, argument: str, before: str, after: str) -> None:
    head, _, rest = before.partition("\n")
    marked = head + "  # <--" + ("\n" + rest if rest else "")
    if "#" in head:
        marked = before.replace("lr=1e-3,  # found", "lr=1e-3,  # found  # <--")
    check_fix(rule, f"import torch\n{marked}\n", f"import torch\n{after.format(argument)}\n")


def test_fused_takes_the_place_of_foreach_which_excludes_it() -> None:
    check_fix(
        "optimizer-fused",
        "opt = Adam(ps, foreach=True, lr=1)  # <--\n",
        "opt = Adam(ps, fused=True, lr=1)\n",
    )
    check_fix(
        "optimizer-fused",
        "opt = Adam(ps, fused=False)  # <--\n",
        "opt = Adam(ps, fused=True)\n",
    )


@pytest.mark.parametrize("rule", ["optimizer-fused", "optimizer-foreach"])
@pytest.mark.parametrize(
    "line", ["opt = make(ps)", "opt = AdamW(**options)", "a, b = Adam(p), Adam(q)"]
)
def test_an_optimizer_that_cannot_be_seen_is_spoken_of(rule: str, line: str) -> None:
    check_advice(rule, f"{line}  # <--\n", "=True")


def test_ddp_gets_views_and_stops_searching() -> None:
    check_fix(
        "bucket-view",
        """
        model = DistributedDataParallel(  # <--
            net, device_ids=[rank])
        """,
        """
        model = DistributedDataParallel(
            net, device_ids=[rank], gradient_as_bucket_view=True)
        """,
    )
    check_fix(
        "unused-parameters",
        "model = DDP(net, find_unused_parameters=True)  # <--\n",
        "model = DDP(net, find_unused_parameters=False)\n",
    )
    check_none("unused-parameters", "model = DDP(net)  # <--\n")
    check_advice("unused-parameters", "model = DDP(net, **options)  # <--\n", "unpacked")
    check_advice("bucket-view", "model = wrap(net)  # <--\n", "where the model is wrapped")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("dist.init_process_group('gloo')", "dist.init_process_group('nccl')"),
        (
            'init_process_group(backend="gloo", rank=0)',
            'init_process_group(backend="nccl", rank=0)',
        ),
    ],
)
def test_gloo_becomes_nccl(before: str, after: str) -> None:
    check_fix("gloo-on-gpu", f"{before}  # <--\n", f"{after}\n")


@pytest.mark.parametrize("call", ["init_process_group(name)", "init_process_group()", "start()"])
def test_another_backend_is_spoken_of(call: str) -> None:
    check_advice("gloo-on-gpu", f"{call}  # <--\n", '"nccl"')


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("self.c = nn.Conv2d(3, 16, 3)", "self.c = nn.Conv2d(3, 16, 3, bias=False)"),
        (
            "c = Conv2d(3, 16, 3, bias=True, padding=1)",
            "c = Conv2d(3, 16, 3, bias=False, padding=1)",
        ),
        (
            "net = Seq(nn.Conv1d(\n    3, 16, 3\n))",
            "net = Seq(nn.Conv1d(\n    3, 16, 3, bias=False\n))",
        ),
    ],
)
def test_a_convolution_loses_its_bias(before: str, after: str) -> None:
    head, _, rest = before.partition("\n")
    marked = f"{head}  # <--" + (f"\n{rest}" if rest else "")
    check_fix("conv-bias", f"{marked}\n", f"{after}\n")


def test_a_convolution_without_a_bias_is_left_alone() -> None:
    check_none("conv-bias", "c = nn.Conv2d(3, 16, 3, bias=False)  # <--\n")
    check_none("conv-bias", "c = nn.Conv2d(3, 16, 3, 1, 1, 1, 1, bias)  # <--\n")
    check_none("conv-bias", "c = nn.Linear(3, 16)  # <--\n")
    check_advice(
        "conv-bias", "a, b = nn.Conv2d(1, 2, 3), nn.Conv2d(2, 2, 3)  # <--\n", "bias=False"
    )


def test_clipping_groups_again_what_it_was_told_not_to() -> None:
    check_fix(
        "clip-grad-loop",
        "nn.utils.clip_grad_norm_(ps, 1.0, foreach=False)  # <--\n",
        "nn.utils.clip_grad_norm_(ps, 1.0, foreach=True)\n",
    )
    check_advice("clip-grad-loop", "total += p.grad.norm() ** 2  # <--\n", "clip_grad_norm_")
    check_advice("clip-grad-loop", "clip_grad_norm_(ps, 1.0)  # <--\n", "plain tensors")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("net = Net().to(device)", "net = Net().to(device, memory_format=torch.channels_last)"),
        ("net = Net(3)", "net = Net(3).to(memory_format=torch.channels_last)"),
        ("net = Net().cuda()", "net = Net().cuda().to(memory_format=torch.channels_last)"),
    ],
)
def test_a_model_is_kept_channels_last(before: str, after: str) -> None:
    check_fix("channels-last", f"import torch\n{before}  # <--\n", f"import torch\n{after}\n")


@pytest.mark.parametrize(
    "text", ["net = Net()", "import torch\nnet = make()", "import torch\nreturned(Net())"]
)
def test_a_model_made_in_another_way_is_spoken_of(text: str) -> None:
    check_advice("channels-last", f"{text}  # <--\n", "channels_last")
