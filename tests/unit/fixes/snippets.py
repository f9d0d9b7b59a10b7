"""What each fix makes of a few lines, in the layouts that code has, to be put into any file.

Names end in ``_1``, so that no file has them. A line of a template may end in marks: ``!`` is the
finding's line, ``~`` is where a comment may stand, ``@`` is both.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

_MARKS = re.compile(r"[!~@]*$")


@dataclass(frozen=True, slots=True)
class Snippet:
    """``before`` becomes ``after``, where the file has ``imports`` at its top.

    ``added`` is the one statement that the fix may put at the top of the file, ``""`` for none.
    """

    rule: str
    before: str
    after: str
    evidence: dict[str, Any] = field(default_factory=dict)
    imports: tuple[str, ...] = ()
    added: str = ""


def written(template: str, indent: str, unit: str, comment: str) -> tuple[list[str], int]:
    """The lines of a template, indented by ``indent``, and the index of the finding's.

    ``unit`` is one level of indentation. Where a line is taken out, what stays is its comment.
    """
    lines: list[str] = []
    finding = 0
    for number, line in enumerate(template.split("\n")):
        marks = _MARKS.search(line)
        assert marks is not None
        text = line[: marks.start()]
        body = text.lstrip(" ")
        text = indent + unit * ((len(text) - len(body)) // 4) + body
        if set(marks.group()) & set("!@"):
            finding = number
        if set(marks.group()) & set("~@") and comment:
            text += ("  " if body else "") + comment
        elif not body:
            continue  # nothing is left of the line
        lines.append(text)
    return lines, finding


TORCH = ("import torch",)
LOOP = "for x_1 in d_1:\n    {}\n    f_1(x_1)"


def _call(
    rule: str, before: str, after: str, argument: str, **evidence: Any
) -> tuple[Snippet, ...]:
    """A keyword that joins others: on one line, with a comma behind, and over several lines."""
    start, arguments = before.split("(", 1)
    given = arguments.rstrip(")")
    lines = [f"    {part},  # {part}" for part in given.split(", ")]
    several = "\n".join([f"{start}(@", *lines])
    return (
        Snippet(rule, f"{before}@", f"{after}@", evidence),
        Snippet(rule, f"{start}({given},)@", f"{start}({given}, {argument},)@", evidence),
        Snippet(rule, f"{several}\n)", f"{several}\n    {argument},\n)", evidence),
    )


SNIPPETS: tuple[Snippet, ...] = (
    # The input pipeline
    *_call(
        "slow-input",
        "x_1 = DataLoader(d_1, 8)",
        "x_1 = DataLoader(d_1, 8, num_workers=2)",
        "num_workers=2",
        workers=2,
    ),
    Snippet(
        "too-many-workers",
        "x_1 = DataLoader(d_1, num_workers=9)@",
        "x_1 = DataLoader(d_1, num_workers=2)@",
        {"workers": 2},
    ),
    Snippet(
        "persistent-workers",
        "x_1 = f_1(DataLoader(d_1, shuffle=True))@",
        "x_1 = f_1(DataLoader(d_1, shuffle=True, persistent_workers=True))@",
    ),
    *_call(
        "persistent-workers",
        "x_1 = torch.utils.data.DataLoader(d_1, shuffle=True)",
        "x_1 = torch.utils.data.DataLoader(d_1, shuffle=True, persistent_workers=True)",
        "persistent_workers=True",
    ),
    Snippet(
        "short-prefetch",
        "with DataLoader(d_1, prefetch_factor=2) as x_1: pass@",
        "with DataLoader(d_1, prefetch_factor=4) as x_1: pass@",
        {"wanted": 4},
    ),
    *_call(
        "pageable-copy",
        "x_1 = DataLoader(d_1, batch_size=8)",
        "x_1 = DataLoader(d_1, batch_size=8, pin_memory=True)",
        "pin_memory=True",
        at="loader",
    ),
    # Copies and waits
    Snippet("blocking-copy", "x_1 = y_1.to(d_1)@", "x_1 = y_1.to(d_1, non_blocking=True)@"),
    Snippet(
        "blocking-copy",
        "a_1, b_1 = a_1.cuda(), b_1.to(d_1)@",
        "a_1, b_1 = a_1.cuda(non_blocking=True), b_1.to(d_1, non_blocking=True)@",
    ),
    Snippet("pin-in-loop", "x_1 = y_1.pin_memory().to(d_1)@", "x_1 = y_1.to(d_1)@"),
    Snippet(
        "cpu-made-tensor",
        "x_1 = torch.zeros(3).to(device)@",
        "x_1 = torch.zeros(3, device=device)@",
    ),
    Snippet(
        "type-round-trip",
        "x_1 = y_1.type(torch.LongTensor).to(d_1)@",
        "x_1 = y_1.type(torch.int64).to(d_1)@",
    ),
    Snippet("explicit-synchronize", "torch.cuda.synchronize()@", "@"),
    Snippet("empty-cache", "torch.cuda.empty_cache()@", "@"),
    Snippet("empty-cache", LOOP.format("torch.cuda.empty_cache()@"), LOOP.format("@")),
    Snippet("gc-in-step", "gc.collect()@", "@"),
    Snippet("gc-in-step", "for x_1 in d_1:\n    gc.collect()@", "for x_1 in d_1:\n    pass@"),
    Snippet(
        "sync-in-step", "sums_1 += loss_1.item()@", "sums_1 += loss_1.detach()@", {"kind": "item"}
    ),
    Snippet(
        "sync-in-step",
        "for i_1, x_1 in enumerate(d_1):\n    print(x_1.item())@\n    f_1(x_1)",
        "for i_1, x_1 in enumerate(d_1):\n    if i_1 % 50 == 0:\n        print(x_1.item())@\n"
        "    f_1(x_1)",
        {"kind": "item"},
    ),
    Snippet(
        "log-every-step",
        "for i_1 in range(n_1):\n    log_1.info(@\n        i_1,  # the step\n    )\n    f_1(i_1)",
        "for i_1 in range(n_1):\n    if i_1 % 50 == 0:\n        log_1.info(@\n"
        "            i_1,  # the step\n        )\n    f_1(i_1)",
    ),
    Snippet(
        "log-every-step",
        "for i_1, x_1 in enumerate(d_1):\n    print(i_1, x_1)@",
        "for i_1, x_1 in enumerate(d_1):\n    if i_1 % 50 == 0:\n        print(i_1, x_1)@",
    ),
    Snippet(
        "redundant-clone",
        "def f_1(x_1):\n    y_1 = x_1.clone()@\n    return torch.relu(y_1)",
        "def f_1(x_1):\n    y_1 = x_1@\n    return torch.relu(y_1)",
    ),
    # Precision
    Snippet(
        "autocast",
        "for x_1 in d_1:\n    y_1 = model_1(x_1)@\n\n    loss_1 = f_1(y_1)~\n    loss_1.backward()",
        'for x_1 in d_1:\n    with torch.autocast(device_type="cpu", dtype=torch.bfloat16):\n'
        "        y_1 = model_1(x_1)@\n\n        loss_1 = f_1(y_1)~\n    loss_1.backward()",
        {"device": "cpu"},
        TORCH,
    ),
    Snippet(
        "autocast",
        "def f_1(x_1):\n    loss_1 = model_1(@\n        x_1,  # the batch\n    ).mean()\n"
        "    loss_1.backward()",
        "def f_1(x_1):\n"
        '    with torch.autocast(device_type="cuda", dtype=torch.bfloat16):\n'
        "        loss_1 = model_1(@\n            x_1,  # the batch\n        ).mean()\n"
        "    loss_1.backward()",
        {"device": "cuda"},
        added="import torch",
    ),
    Snippet(
        "tf32",
        "y_1 = model_1(x_1)@",
        "y_1 = model_1(x_1)@",
        imports=TORCH,
        added='torch.set_float32_matmul_precision("high")',
    ),
    Snippet(
        "fp16-scaler",
        'scaler_1 = torch.amp.GradScaler("cuda")\n'
        'with torch.autocast("cuda", dtype=torch.float16):@\n    loss_1 = model_1(x_1)',
        'scaler_1 = torch.amp.GradScaler("cuda", enabled=False)\n'
        'with torch.autocast("cuda", dtype=torch.bfloat16):@\n    loss_1 = model_1(x_1)',
        imports=TORCH,
    ),
    Snippet(
        "fp16-scaler",
        "scaler_1 = GradScaler()\nwith th.cuda.amp.autocast():@\n    loss_1 = model_1(x_1)",
        "scaler_1 = GradScaler(enabled=False)\nwith th.cuda.amp.autocast(dtype=th.bfloat16):@\n"
        "    loss_1 = model_1(x_1)",
        imports=("import torch as th", "from torch.cuda.amp import GradScaler"),
    ),
    Snippet(
        "float64",
        "x_1 = torch.zeros(3, dtype=torch.float64) + y_1.double()@",
        "x_1 = torch.zeros(3, dtype=torch.float32) + y_1.float()@",
    ),
    # Memory
    Snippet(
        "checkpoint-blocks",
        "for block_1 in blocks_1:\n    x_1 = block_1(x_1)@",
        "for block_1 in blocks_1:\n    x_1 = checkpoint(block_1, x_1, use_reentrant=False)@",
        imports=TORCH,
        added="from torch.utils.checkpoint import checkpoint",
    ),
    Snippet(
        "checkpoint-blocks",
        "for block_1 in blocks_1:\n    x_1 = block_1(\n        x_1,  # so far@\n"
        "        mask_1,~\n    )",
        "for block_1 in blocks_1:\n    x_1 = ckpt(\n        block_1, x_1,  # so far@\n"
        "        mask_1, use_reentrant=False,~\n    )",
        imports=("from torch.utils.checkpoint import checkpoint as ckpt",),
    ),
    Snippet("kept-graph", "total_1 += loss_1@", "total_1 += loss_1.detach()@"),
    Snippet(
        "kept-graph",
        "losses_1.append(loss_1 * n_1)@",
        "losses_1.append((loss_1 * n_1).detach())@",
    ),
    Snippet("retain-graph", "loss_1.backward(retain_graph=True)@", "loss_1.backward()@"),
    Snippet(
        "retain-graph",
        "loss_1.backward(@\n    gradient=g_1,  # given\n    retain_graph=True,\n)",
        "loss_1.backward(@\n    gradient=g_1,  # given\n)",
    ),
    Snippet(
        "zero-filled-gradients",
        "opt_1.zero_grad(set_to_none=False)@",
        "opt_1.zero_grad()@",
    ),
    Snippet("zero-filled-gradients", "opt_1.zero_grad(False)@", "opt_1.zero_grad()@"),
    Snippet(
        "graph-in-evaluation",
        "for x_1 in d_1:\n    y_1 = model_1(x_1)@\n    f_1(y_1)",
        "for x_1 in d_1:\n    with torch.no_grad():\n        y_1 = model_1(x_1)@\n    f_1(y_1)",
        imports=TORCH,
    ),
    Snippet(
        "graph-in-evaluation",
        "def f_1(x_1):\n    return_1 = model_1(x_1)@\n    return return_1",
        "def f_1(x_1):\n    with torch.no_grad():\n        return_1 = model_1(x_1)@\n"
        "    return return_1",
        added="import torch",
    ),
    *_call(
        "optimizer-peak",
        "opt_1 = torch.optim.Adam(p_1, lr=1)",
        "opt_1 = torch.optim.Adam(p_1, lr=1, fused=True)",
        "fused=True",
        optimizer="Adam",
    ),
    Snippet(
        "optimizer-peak",
        "opt_1 = Adam(p_1, foreach=True, fused=False, lr=1)@",
        "opt_1 = Adam(p_1, fused=True, lr=1)@",
        {"optimizer": "Adam"},
    ),
    Snippet(
        "old-results",
        "for x_1 in d_1:\n    logits_1, cache_1 = model_1(x_1)@\n    f_1(logits_1)~",
        "for x_1 in d_1:\n    logits_1, cache_1 = model_1(x_1)@\n    f_1(logits_1)~\n"
        "    del logits_1, cache_1",
    ),
    Snippet(
        "old-results",
        "while f_1():\n    logits_1 = model_1()@\n    if logits_1:\n        g_1(\n            0,\n"
        "        )~",
        "while f_1():\n    logits_1 = model_1()@\n    if logits_1:\n        g_1(\n            0,\n"
        "        )~\n    del logits_1",
    ),
    # Overhead
    *_call(
        "optimizer-fused",
        "opt_1 = AdamW(p_1, lr=1)",
        "opt_1 = AdamW(p_1, lr=1, fused=True)",
        "fused=True",
    ),
    Snippet(
        "optimizer-fused",
        "opt_1 = AdamW(p_1, foreach=False, lr=1)@",
        "opt_1 = AdamW(p_1, fused=True, lr=1)@",
    ),
    Snippet(
        "optimizer-fused",
        "opt_1 = AdamW(p_1, foreach=True, fused=False, lr=1)@",
        "opt_1 = AdamW(p_1, fused=True, lr=1)@",
    ),
    *_call(
        "optimizer-foreach",
        "self.opt_1 = optim.SGD(p_1, lr=1)",
        "self.opt_1 = optim.SGD(p_1, lr=1, foreach=True)",
        "foreach=True",
    ),
    Snippet(
        "clip-grad-loop",
        "torch.nn.utils.clip_grad_norm_(p_1, 1.0, foreach=False)@",
        "torch.nn.utils.clip_grad_norm_(p_1, 1.0, foreach=True)@",
    ),
    Snippet("anomaly-mode", "torch.autograd.set_detect_anomaly(True)@", "@"),
    Snippet(
        "anomaly-mode",
        "with torch.autograd.set_detect_anomaly(mode=True):@\n    f_1()",
        "with torch.autograd.set_detect_anomaly(mode=False):@\n    f_1()",
    ),
    Snippet(
        "gc-pauses",
        "def f_1():\n    for x_1 in d_1:\n        for y_1 in x_1:\n            g_1(y_1)@",
        "def f_1():\n    gc.freeze()\n    for x_1 in d_1:\n        for y_1 in x_1:\n"
        "            g_1(y_1)@",
        added="import gc",
    ),
    Snippet(
        "gc-pauses",
        "def f_1():\n    while True:~\n        g_1()@",
        "def f_1():\n    collector.freeze()\n    while True:~\n        g_1()@",
        imports=("import gc as collector",),
    ),
    Snippet(
        "train-mode-inference",
        "def f_1():\n    net_1 = Net1().to(d_1)\n    for x_1 in d_1:\n        g_1(net_1(x_1))@",
        "def f_1():\n    net_1 = Net1().to(d_1)\n    net_1.eval()\n    for x_1 in d_1:\n"
        "        g_1(net_1(x_1))@",
    ),
    # Kernels and layout
    *_call(
        "conv-bias",
        "self.conv_1 = nn.Conv2d(3, 4, 3, padding=1)",
        "self.conv_1 = nn.Conv2d(3, 4, 3, padding=1, bias=False)",
        "bias=False",
    ),
    Snippet(
        "channels-last",
        "net_1 = Net1().to(d_1)@",
        "net_1 = Net1().to(d_1, memory_format=torch.channels_last)@",
        imports=TORCH,
    ),
    Snippet(
        "channels-last",
        "net_1 = Net1(@\n    3,  # classes\n)",
        "net_1 = Net1(@\n    3,  # classes\n).to(memory_format=th.channels_last)",
        imports=("import torch as th",),
    ),
    Snippet(
        "cudnn-benchmark",
        "y_1 = model_1(x_1)@",
        "y_1 = model_1(x_1)@",
        imports=TORCH,
        added="torch.backends.cudnn.benchmark = True",
    ),
    Snippet(
        "cudnn-benchmark",
        "torch.backends.cudnn.benchmark = False~\ny_1 = model_1(x_1)!",
        "torch.backends.cudnn.benchmark = True~\ny_1 = model_1(x_1)!",
        imports=TORCH,
    ),
    Snippet(
        "unfused-attention",
        "def f_1(q_1, k_1, v_1):\n    s_1 = q_1 @ k_1.transpose(-2, -1) / 8.0\n"
        "    s_1 = s_1.softmax(dim=-1)!\n    y_1 = s_1 @ v_1~\n    return y_1",
        "def f_1(q_1, k_1, v_1):\n"
        "    y_1 = F.scaled_dot_product_attention(q_1, k_1, v_1, scale=1 / 8.0)@\n    return y_1",
        imports=("import torch.nn.functional as F",),
    ),
    Snippet(
        "unfused-attention",
        "y_1, _1 = self.attention_1(q_1, k_1, v_1)@",
        "y_1, _1 = self.attention_1(q_1, k_1, v_1, need_weights=False)@",
        {"written": "in a module"},
    ),
    # Several processes, and the CPU
    *_call(
        "bucket-view",
        "net_1 = DDP(net_1, device_ids=i_1)",
        "net_1 = DDP(net_1, device_ids=i_1, gradient_as_bucket_view=True)",
        "gradient_as_bucket_view=True",
    ),
    Snippet(
        "unused-parameters",
        "net_1 = DistributedDataParallel(@\n    net_1,\n    find_unused_parameters=True,  # why\n)",
        "net_1 = DistributedDataParallel(@\n    net_1,\n"
        "    find_unused_parameters=False,  # why\n)",
    ),
    Snippet(
        "gloo-on-gpu",
        "dist.init_process_group('gloo', rank=0)@",
        "dist.init_process_group('nccl', rank=0)@",
    ),
    Snippet(
        "gloo-on-gpu",
        'dist.init_process_group(@\n    rank=0,\n    backend="gloo",  # why\n)',
        'dist.init_process_group(@\n    rank=0,\n    backend="nccl",  # why\n)',
    ),
    Snippet(
        "thread-count",
        "y_1 = model_1(x_1)@",
        "y_1 = model_1(x_1)@",
        {"wanted": 4},
        TORCH,
        "torch.set_num_threads(4)",
    ),
    Snippet(
        "thread-count",
        "torch.set_num_threads(1)~\ny_1 = model_1(x_1)!",
        "torch.set_num_threads(4)~\ny_1 = model_1(x_1)!",
        {"wanted": 4},
    ),
)
