"""The fixes of the rules on precision and memory: the edit, what is left in words, once only."""

from __future__ import annotations

import pytest

from tests.unit.fixes.check import MARK, check_advice, check_fix, check_none

# -- tf32 ---------------------------------------------------------------------------------------

SET = 'torch.set_float32_matmul_precision("high")'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            f"import torch  {MARK}\nfrom torch import nn\n\nx = 1\n",
            f"import torch\nfrom torch import nn\n\n{SET}\n\nx = 1\n",
        ),
        (
            f'"""Doc."""\nimport torch  {MARK}\nx = 1\n',
            f'"""Doc."""\nimport torch\n\n{SET}\n\nx = 1\n',
        ),
        (
            f"import torch as th  {MARK}\nfrom a import (\n    b,\n)  # all\n\nx = b\n",
            "import torch as th\nfrom a import (\n    b,\n)  # all\n\n"
            f"{SET.replace('torch.', 'th.')}\n\nx = b\n",
        ),
    ],
)
def test_tf32_is_allowed_once_behind_the_imports(before: str, after: str) -> None:
    check_fix("tf32", before, after)


def test_tf32_is_left_in_words_without_torch_or_room() -> None:
    check_advice("tf32", "from net import net  # <--\n\nnet()\n", "before the model is made")
    check_advice("tf32", "import torch; torch.ones(1)  # <--\n", "before the model is made")
    check_none("tf32", "import torch  # <--\ntorch.backends.cuda.matmul.allow_tf32 = False\n")
    set_in_main = 'def main():\n    torch.set_float32_matmul_precision("highest")\n'
    check_none("tf32", f"import torch  # <--\n{set_in_main}")


# -- float64 ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = y.double()", "x = y.float()"),
        ("x = torch.zeros(3, dtype=torch.float64)", "x = torch.zeros(3, dtype=torch.float32)"),
        ("torch.set_default_dtype(torch.double)", "torch.set_default_dtype(torch.float32)"),
        ("x = f(a.double(), b.double())", "x = f(a.float(), b.float())"),
    ],
)
def test_float64_is_not_asked_for_any_more(before: str, after: str) -> None:
    check_fix("float64", f"{before}  {MARK}\n", f"{after}\n", places=1)


def test_float64_from_data_is_left_in_words() -> None:
    check_advice("float64", "x = torch.from_numpy(a)  # <--\n", "where it is made", places=0)
    check_advice("float64", "x = a.double()  # <--\n", "where it is made", places=2)
    mixed = "x = torch.from_numpy(a)\ny = x @ z.double()  # <--\n"
    check_advice("float64", mixed, "where it is made", places=1)


# -- fp16-scaler --------------------------------------------------------------------------------


def test_fp16_becomes_bfloat16_and_the_scaler_passes_everything_through() -> None:
    check_fix(
        "fp16-scaler",
        """
        import torch
        scaler = torch.amp.GradScaler("cuda")

        def train():
            for x in data:
                with torch.autocast("cuda", dtype=torch.float16):  # <--
                    loss = net(x)
                scaler.scale(loss).backward()
        """,
        """
        import torch
        scaler = torch.amp.GradScaler("cuda", enabled=False)

        def train():
            for x in data:
                with torch.autocast("cuda", dtype=torch.bfloat16):
                    loss = net(x)
                scaler.scale(loss).backward()
        """,
    )
    check_fix(
        "fp16-scaler",
        """
        import torch
        from torch.cuda.amp import GradScaler
        class T:
            def __init__(self):
                self.scaler = GradScaler(
                    init_scale=1024.0,  # small
                    enabled=True,
                )
            def step(self, x):
                with torch.cuda.amp.autocast():  # <--
                    return net(x)
        """,
        """
        import torch
        from torch.cuda.amp import GradScaler
        class T:
            def __init__(self):
                self.scaler = GradScaler(
                    init_scale=1024.0,  # small
                    enabled=False,
                )
            def step(self, x):
                with torch.cuda.amp.autocast(dtype=torch.bfloat16):
                    return net(x)
        """,
    )


@pytest.mark.parametrize(
    "source",
    [
        "import torch\nwith torch.autocast('cuda', **options):  # <--\n    f()\n",
        "import torch\ns = GradScaler(enabled=amp)\nwith torch.autocast('cuda'):  # <--\n    f()\n",
        "import torch\nscaler.step(opt)  # <--\n",
    ],
)
def test_fp16_decided_elsewhere_is_left_in_words(source: str) -> None:
    check_advice("fp16-scaler", source, "bfloat16")


# -- checkpoint-blocks --------------------------------------------------------------------------


def test_a_block_is_checkpointed_and_the_function_imported_once() -> None:
    body = """
        class Net(nn.Module):
            def forward(self, x, mask):
                for index, block in enumerate(self.blocks):
                    x = {}
                return x
        """
    call = "checkpoint(block, x, mask, use_reentrant=False)"
    head = "import torch\nfrom torch import nn\n"
    imported = "from torch.utils.checkpoint import checkpoint\n"
    from textwrap import dedent

    before = head + dedent(body.format(f"block(x, mask)  {MARK}"))
    check_fix("checkpoint-blocks", before, head + imported + dedent(body.format(call)))
    check_fix("checkpoint-blocks", imported + before, imported + head + dedent(body.format(call)))


@pytest.mark.parametrize(
    "call", ["block(x, mask=m)", "block(*x)", "block()", "block(checkpoint(x))", "block((x), mask)"]
)
def test_a_call_that_checkpoint_would_change_is_left_in_words(call: str) -> None:
    source = f"import torch\nfor block in blocks:\n    x = {call}  {MARK}\n"
    check_advice("checkpoint-blocks", source, "use_reentrant=False")


# -- kept-graph ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("total += loss", "total += loss.detach()"),
        ("total += loss * len(x)", "total += (loss * len(x)).detach()"),
        ("total = total + loss / 4", "total = total + (loss / 4).detach()"),
        ("total = loss + total", "total = loss.detach() + total"),
        ("self.sum['a'] += f(x)  # kept", "self.sum['a'] += f(x).detach()  # kept"),
        ("losses.append(loss)", "losses.append(loss.detach())"),
        ("losses.append(\n    a - b\n)", "losses.append(\n    (a - b).detach()\n)"),
    ],
)
def test_what_is_kept_is_detached(before: str, after: str) -> None:
    first, _, rest = before.partition("\n")
    marked = f"{first}  {MARK}" + (f"\n{rest}" if rest else "")
    check_fix("kept-graph", marked.replace("#", "#") + "\n", after + "\n")


def test_a_sum_that_a_backward_pass_may_need_is_left_in_words() -> None:
    check_advice("kept-graph", "total += loss  # <--\ntotal.backward()\n", ".detach()")
    check_advice("kept-graph", "xs.append(loss)  # <--\ntorch.stack(xs).mean()\n", ".detach()")
    check_advice("kept-graph", "state = f(state)  # <--\n", ".detach()")
    check_none("kept-graph", "total += loss.item()  # <--\n")


# -- retain-graph and zero-filled-gradients -----------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("loss.backward(retain_graph=True)", "loss.backward()"),
        ("loss.backward(g, retain_graph=True)", "loss.backward(g)"),
        ("f(x).backward(retain_graph=True, inputs=[x])", "f(x).backward(inputs=[x])"),
    ],
)
def test_the_graph_is_let_go(before: str, after: str) -> None:
    check_fix("retain-graph", f"{before}  {MARK}\n", f"{after}\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("opt.zero_grad(set_to_none=False)", "opt.zero_grad()"),
        ("opt.zero_grad(False)", "opt.zero_grad()"),
        ("model.zero_grad(set_to_none = False)", "model.zero_grad()"),
    ],
)
def test_gradients_are_let_go(before: str, after: str) -> None:
    check_fix("zero-filled-gradients", f"{before}  {MARK}\n", f"{after}\n")


def test_gradients_that_an_option_decides_on_are_left_in_words() -> None:
    source = f"opt.zero_grad(set_to_none=args.fast)  {MARK}\n"
    check_advice("zero-filled-gradients", source, "here args.fast decides")
    check_none("zero-filled-gradients", f"opt.zero_grad(set_to_none=True)  {MARK}\n")
    check_none("zero-filled-gradients", f"opt.step()  {MARK}\n")


# -- optimizer-peak -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Adam(net.parameters())", "Adam(net.parameters(), fused=True)"),
        ("optim.Adam(ps, lr=1, foreach=True)", "optim.Adam(ps, lr=1, fused=True)"),
        ("Adam(ps, fused=False, lr=1)", "Adam(ps, fused=True, lr=1)"),
        ("Adam(ps, foreach=True, fused=None)", "Adam(ps, fused=True)"),
        ("Adam(\n    ps,\n    lr=1,\n)", "Adam(\n    ps,\n    lr=1,\n    fused=True,\n)"),
    ],
)
def test_the_optimizer_is_fused(before: str, after: str) -> None:
    first, _, rest = before.partition("\n")
    marked = f"opt = {first}  {MARK}" + (f"\n{rest}" if rest else "")
    check_fix("optimizer-peak", marked + "\n", f"opt = {after}\n", optimizer="Adam")


def test_an_optimizer_made_elsewhere_is_left_in_words() -> None:
    check_advice("optimizer-peak", "opt.step()  # <--\n", "where it is made", optimizer="Adam")
    source = "opt = Adam(ps, **options)  # <--\n"
    check_advice("optimizer-peak", source, "come from elsewhere", optimizer="Adam")


# -- graph-in-evaluation ------------------------------------------------------------------------


def test_a_forward_pass_without_backward_runs_without_gradients() -> None:
    check_fix(
        "graph-in-evaluation",
        """
        import torch
        for x in data:
            target = teacher(  # <--
                x,  # all
            )
            out = net(x)
            loss = (out - target.detach()).mean()
            loss.backward()
        """,
        """
        import torch
        for x in data:
            with torch.no_grad():
                target = teacher(
                    x,  # all
                )
            out = net(x)
            loss = (out - target.detach()).mean()
            loss.backward()
        """,
    )
    check_fix(
        "graph-in-evaluation",
        "from net import net\nfor x in y:\n    s = net(x)  # <--\n",
        "import torch\nfrom net import net\nfor x in y:\n    with torch.no_grad():\n"
        "        s = net(x)\n",
    )


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("out = net(x)  # <--\nloss = f(out)\nloss.backward()\n", "no backward pass needs"),
        ("f(net(x)).backward()  # <--\n", "no backward pass needs"),
        ("if net(x):  # <--\n    pass\n", "by hand"),
        ("def f(x):\n    return net(x)  # <--\n", "by hand"),
        ("a = 1; y = net(x)  # <--\n", "by hand"),
        ("y = x * 2  # <--\n", "where this is called"),
    ],
)
def test_what_may_be_trained_or_cannot_be_wrapped_is_left_in_words(source: str, words: str) -> None:
    check_advice("graph-in-evaluation", source, words)


def test_nothing_is_offered_without_gradients() -> None:
    check_none("graph-in-evaluation", "with torch.no_grad():\n    y = net(x)  # <--\n")
    check_none("graph-in-evaluation", "@torch.inference_mode()\ndef f(x):\n    y = net(x)  # <--\n")


# -- old-results --------------------------------------------------------------------------------


def test_results_are_deleted_at_the_end_of_each_pass() -> None:
    check_fix(
        "old-results",
        """
        def run():
            for x in data:
                a, b = net(x)  # <--
                if a is not None:
                    write(a)  # last
            print("done")
        """,
        """
        def run():
            for x in data:
                a, b = net(x)
                if a is not None:
                    write(a)  # last
                del a, b
            print("done")
        """,
    )


@pytest.mark.parametrize(
    "source",
    [
        "for x in d:\n    y = f(x)  # <--\nprint(y)\n",
        "for x in d:\n    g(y)\n    y = f(x)  # <--\n",
        "for x in d:\n    if x:\n        continue\n    y = f(x)  # <--\n",
        "for x in d:\n    y = f(x)  # <--\n    fs.append(lambda: y)\n",
        "while g(y):\n    y = f(x)  # <--\n",
        "def h():\n    global y\n    for x in d:\n        y = f(x)  # <--\n",
    ],
)
def test_results_that_are_read_later_are_left_in_words(source: str) -> None:
    check_advice("old-results", source, "by hand")


def test_results_outside_a_loop_or_without_a_name_are_left_in_words() -> None:
    check_advice("old-results", "y = f(x)  # <--\n", "before the next one begins")
    check_advice("old-results", "for x in d:\n    self.y = f(x)  # <--\n", "before the next one")
    check_advice("old-results", "for x in d:\n    if x:\n        y = f(x)  # <--\n", "by hand")
    check_none("old-results", "for x in d:\n    y = f(x)  # <--\n    del y\n")
