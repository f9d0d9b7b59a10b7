"""Fixes that add, remove or replace whole statements."""

from __future__ import annotations

import pytest

from tests.unit.fixes.check import MARK, advice, check_advice, check_fix, check_none


def test_anomaly_mode_goes_with_its_line_and_a_comment_stays() -> None:
    check_fix(
        "anomaly-mode",
        """
        import torch
        torch.autograd.set_detect_anomaly(True)  # <--
        net = Net()
        """,
        """
        import torch
        net = Net()
        """,
    )
    check_fix(
        "anomaly-mode",
        f"def main():\n    set_detect_anomaly(mode=True)  # for the NaN  {MARK}\n    run()\n",
        "def main():\n    # for the NaN\n    run()\n",
    )
    check_fix(
        "anomaly-mode",
        f"def main():\n    set_detect_anomaly(True)  {MARK}\n",
        "def main():\n    pass\n",
    )


def test_anomaly_mode_as_a_context_turns_to_false() -> None:
    check_fix(
        "anomaly-mode",
        f"with torch.autograd.set_detect_anomaly(True):  {MARK}\n    loss.backward()\n",
        "with torch.autograd.set_detect_anomaly(False):\n    loss.backward()\n",
    )
    check_advice(
        "anomaly-mode", f"with torch.autograd.detect_anomaly():  {MARK}\n    f()\n", "take the mode"
    )
    check_advice("anomaly-mode", f"set_detect_anomaly(args.debug)  {MARK}\n", "take the mode")
    check_none("anomaly-mode", f"train()  {MARK}\n")


def test_what_is_there_is_frozen_before_the_outermost_loop() -> None:
    check_fix(
        "gc-pauses",
        """
        '''Train.'''
        from __future__ import annotations
        import torch

        def main():
            data = load()
            for epoch in range(3):  # all of them
                for x in data:
                    loss = net(x)  # <--
        """,
        """
        '''Train.'''
        from __future__ import annotations
        import gc
        import torch

        def main():
            data = load()
            gc.freeze()
            for epoch in range(3):  # all of them
                for x in data:
                    loss = net(x)
        """,
    )
    check_advice("gc-pauses", f"def step(x):\n    return net(x)  {MARK}\n", "gc.freeze()")
    check_none("gc-pauses", f"import gc\ngc.freeze()\nfor x in d:\n    net(x)  {MARK}\n")
    alone = "from gc import freeze\nfreeze()\n"
    check_none("gc-pauses", f"{alone}for x in d:\n    net(x)  {MARK}\n")


def test_an_import_leaves_the_docstring_first() -> None:
    check_fix(
        "gc-pauses",
        f"'Train.'; import torch\nfor x in d:\n    net(x)  {MARK}\n",
        "'Train.'; import gc; import torch\ngc.freeze()\nfor x in d:\n    net(x)\n",
    )


def test_the_model_is_put_into_evaluation_before_the_loop() -> None:
    check_fix(
        "train-mode-inference",
        """
        model = Net(3).to(device)
        with torch.no_grad():
            for x in data:
                y = model(x)  # <--
        """,
        """
        model = Net(3).to(device)
        with torch.no_grad():
            model.eval()
            for x in data:
                y = model(x)
        """,
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("for x in d:\n    y = model(x)", "Call .eval()"),
        ("net = Net()\nnet.train()\nfor x in d:\n    y = net(x)", "Call .eval()"),
        ("for x in d:\n    net = Net()\n    y = net(x)", "Call .eval()"),
        ("a = Net()\nb = Net()\nfor x in d:\n    y = a(b(x))", "Call .eval()"),
    ],
)
def test_a_model_that_is_not_clear_is_spoken_of(text: str, words: str) -> None:
    check_advice("train-mode-inference", f"{text}  {MARK}\n", words)


def test_a_model_that_is_in_evaluation_is_left_alone() -> None:
    check_none(
        "train-mode-inference", f"net = Net()\nnet.eval()\nfor x in d:\n    y = net(x)  {MARK}\n"
    )


def test_cudnn_is_told_once_after_the_imports() -> None:
    check_fix(
        "cudnn-benchmark",
        """
        '''Train.'''
        import torch
        from torch import (  # all
            nn,
        )

        y = net(x)  # <--
        """,
        """
        '''Train.'''
        import torch
        from torch import (  # all
            nn,
        )

        torch.backends.cudnn.benchmark = True

        y = net(x)
        """,
    )
    check_fix(
        "cudnn-benchmark",
        f"import torch\ntorch.backends.cudnn.benchmark = False  # slow?\nf()  {MARK}\n",
        "import torch\ntorch.backends.cudnn.benchmark = True  # slow?\nf()\n",
    )
    check_advice("cudnn-benchmark", f"y = net(x)  {MARK}\n", "cudnn.benchmark")


def test_threads_are_as_many_as_cores() -> None:
    check_fix(
        "thread-count",
        f"import torch as t\nx = 1\ny = net(x)  {MARK}\n",
        "import torch as t\n\nt.set_num_threads(8)\nx = 1\ny = net(x)\n",
        wanted=8,
    )
    check_fix(
        "thread-count",
        f"import torch\ntorch.set_num_threads(64)  {MARK}\n",
        "import torch\ntorch.set_num_threads(8)\n",
        wanted=8,
    )
    check_advice("thread-count", f"torch.set_num_threads(n)  {MARK}\n", "8", wanted=8)
    check_none("thread-count", f"import torch\nnet(x)  {MARK}\n")


def test_plain_attention_becomes_one_call() -> None:
    check_fix(
        "unfused-attention",
        """
        import math
        import torch.nn.functional as F

        class A(nn.Module):
            def forward(self, q, k, v, mask):
                b, t, w = q.shape
                att = (q @ k.transpose(-2, -1)) / math.sqrt(w // self.heads)
                att = att.masked_fill(mask == 0, float("-inf"))
                att = F.softmax(att, dim=-1)  # <--
                y = att @ v
                return y.flatten(1)
        """,
        """
        import math
        import torch.nn.functional as F

        class A(nn.Module):
            def forward(self, q, k, v, mask):
                b, t, w = q.shape
                y = F.scaled_dot_product_attention(
                    q,
                    k,
                    v,
                    attn_mask=~(mask == 0),
                    scale=1 / math.sqrt(w // self.heads),
                )
                return y.flatten(1)
        """,
    )
    check_fix(
        "unfused-attention",
        """
        import torch
        def attend(q, k, v):
            scale = q.shape[-1] ** -0.5
            scores = torch.matmul(q, k.mT) * scale
            scores = scores.softmax(-1)  # <--
            out = torch.matmul(scores, v)
            return out
        """,
        """
        import torch
        def attend(q, k, v):
            scale = q.shape[-1] ** -0.5
            out = torch.nn.functional.scaled_dot_product_attention(q, k, v, scale=scale)
            return out
        """,
    )


PLAIN = """
import torch.nn.functional as F
def f(q, k, v, s, m):
    a = {scores}{between}
    a = F.softmax(a, dim={dim})  # <--
    {after}
    return {returned}
"""
PARTS = {
    "scores": "q @ k.transpose(-2, -1)",
    "between": "",
    "dim": "-1",
    "after": "y = a @ v",
    "returned": "y",
}


@pytest.mark.parametrize(
    "changed",
    [
        {"scores": "q @ k.transpose(-2, -1) * s"},  # may be a tensor
        {"scores": "q @ k"},
        {"scores": "q @ k.transpose(0, 1)"},
        {"dim": "1"},
        {"between": "\n    a = a + m"},
        {"between": "\n    a = a.masked_fill(m, -1e9)"},
        {"between": "\n    # a comment\n    a = a.masked_fill(m, float('-inf'))"},
        {"after": "y = F.dropout(a) @ v"},
        {"returned": "y, a"},
    ],
)
def test_attention_in_another_form_is_spoken_of(changed: dict[str, str]) -> None:
    plain, words = PLAIN.format(**PARTS), "scaled_dot_product_attention"
    made = advice("unfused-attention", plain)
    assert made is not None
    assert made.edits
    check_advice("unfused-attention", PLAIN.format(**(PARTS | changed)), words)


def test_a_module_is_not_asked_for_weights_that_nobody_reads() -> None:
    evidence = {"written": "in a module"}
    check_fix(
        "unfused-attention",
        f"out, _ = self.attn(x, x, x, attn_mask=m)  {MARK}\n",
        "out, _ = self.attn(x, x, x, attn_mask=m, need_weights=False)\n",
        **evidence,
    )
    check_fix(
        "unfused-attention",
        f"x = x + self.attn(q, k, v)[0]  {MARK}\n",
        "x = x + self.attn(q, k, v, need_weights=False)[0]\n",
        **evidence,
    )
    check_advice(
        "unfused-attention",
        f"out, w = self.attn(x, x, x)  {MARK}\nshow(w)\n",
        "need_weights=False",
        **evidence,
    )
