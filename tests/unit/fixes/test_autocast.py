"""The fix of autocast: the forward pass and its loss wrapped, the backward pass left outside."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.fixes.check import (
    MARK,
    check_advice,
    check_fix,
    check_none,
    comments,
    fixed,
    line_ends,
    same_tree,
)

RULE = "autocast"


def test_the_forward_pass_and_the_loss_are_wrapped() -> None:
    check_fix(
        RULE,
        """
        import torch

        for images, labels in loader:
            images = images.to(device)
            # The model sees them all.
            outputs = model(images)  # <--

            # So does the loss.
            loss = F.cross_entropy(outputs, labels)  # smoothed
            optimizer.zero_grad()
            loss.backward()
        """,
        """
        import torch

        for images, labels in loader:
            images = images.to(device)
            # The model sees them all.
            with torch.autocast(device_type="cuda", dtype=torch.bfloat16):
                outputs = model(images)

                # So does the loss.
                loss = F.cross_entropy(outputs, labels)  # smoothed
            optimizer.zero_grad()
            loss.backward()
        """,
        device="cuda",
    )


def test_on_a_cpu_run_the_device_is_the_cpu() -> None:
    check_fix(
        RULE,
        """
        import torch
        def step(x):
        \tloss = model(x).mean()  # <--
        \tloss.backward()
        """,
        """
        import torch
        def step(x):
        \twith torch.autocast(device_type="cpu", dtype=torch.bfloat16):
        \t\tloss = model(x).mean()
        \tloss.backward()
        """,
        device="cpu",
    )


def test_what_follows_is_wrapped_only_while_it_carries_the_result_on() -> None:
    check_fix(
        RULE,
        """
        import torch
        while True:
            out = model(x)  # <--
            loss = criterion(out, y)
            loss = loss / 4
            value = loss.item()
            other = f(loss)
            loss.backward()
        """,
        """
        import torch
        while True:
            with torch.autocast(device_type="cuda", dtype=torch.bfloat16):
                out = model(x)
                loss = criterion(out, y)
                loss = loss / 4
            value = loss.item()
            other = f(loss)
            loss.backward()
        """,
        device="cuda",
    )


def test_several_lines_and_the_insides_of_strings() -> None:
    check_fix(
        RULE,
        '''
        import torch
        for x in data:
            loss = model(  # <--
                x,
          # odd
                note="""
            kept as it is
                """,
            )
            loss.backward()
        ''',
        '''
        import torch
        for x in data:
            with torch.autocast(device_type="cuda", dtype=torch.bfloat16):
                loss = model(
                    x,
              # odd
                    note="""
            kept as it is
                """,
                )
            loss.backward()
        ''',
        device="cuda",
    )


def test_at_module_level_one_level_is_four_spaces_unless_the_file_says_otherwise() -> None:
    check_fix(
        RULE,
        "import torch\nloss = net(x)  # <--\nloss.backward()\n",
        "import torch\n"
        'with torch.autocast(device_type="cuda", dtype=torch.bfloat16):\n'
        "    loss = net(x)\n"
        "loss.backward()\n",
        device="cuda",
    )
    check_fix(
        RULE,
        "import torch\nif a:\n  b\nloss = net(x)  # <--\nloss.backward()\n",
        "import torch\nif a:\n  b\n"
        'with torch.autocast(device_type="cuda", dtype=torch.bfloat16):\n'
        "  loss = net(x)\n"
        "loss.backward()\n",
        device="cuda",
    )


@pytest.mark.parametrize(
    ("imported", "name"),
    [
        ("import torch as th", "th"),
        ("import torch.nn as nn, torch", "torch"),
        ("import torch.utils.data", "torch"),
        ("try:\n    import torch\nexcept ImportError:\n    raise", "torch"),
    ],
)
def test_torch_is_called_as_the_module_calls_it(imported: str, name: str) -> None:
    check_fix(
        RULE,
        f"{imported}\nloss = net(x)  {MARK}\nloss.backward()\n",
        f"{imported}\n"
        f'with {name}.autocast(device_type="cuda", dtype={name}.bfloat16):\n'
        "    loss = net(x)\n"
        "loss.backward()\n",
        device="cuda",
    )


WITH = 'with torch.autocast(device_type="cuda", dtype=torch.bfloat16):\n'


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ('"""Doc."""\n\n', '"""Doc."""\n\nimport torch\n'),
        (
            '#!python\n"""Doc."""\nfrom __future__ import annotations\n\n',
            '#!python\n"""Doc."""\nfrom __future__ import annotations\n\nimport torch\n',
        ),
        ("# coding: utf-8\n", "# coding: utf-8\nimport torch\n"),
        ("", "import torch\n"),
    ],
)
def test_a_missing_import_is_added_once_behind_docstring_and_future(
    head: str, expected: str
) -> None:
    for middle in ("from net import net\n", ""):
        check_fix(
            RULE,
            f"{head}{middle}loss = net(x)  {MARK}\nloss.backward()\n",
            f"{expected}{middle}{WITH}    loss = net(x)\nloss.backward()\n",
            device="cuda",
        )


def test_an_import_inside_another_function_does_not_count() -> None:
    check_fix(
        RULE,
        "def f():\n  import torch\nloss = net(x)  # <--\nloss.backward()\n",
        f"import torch\ndef f():\n  import torch\n{WITH}  loss = net(x)\nloss.backward()\n",
        device="cuda",
    )


def test_inference_is_wrapped_where_gradients_are_seen_to_be_off() -> None:
    check_fix(
        RULE,
        """
        import torch
        @torch.no_grad()
        def run():
            for x in data:
                scores = model(x)  # <--
                print(scores)
        """,
        """
        import torch
        @torch.no_grad()
        def run():
            for x in data:
                with torch.autocast(device_type="cuda", dtype=torch.bfloat16):
                    scores = model(x)
                print(scores)
        """,
        device="cuda",
    )
    check_fix(
        RULE,
        "import torch\nwith torch.inference_mode():\n    y = model(x)  # <--\n",
        f"import torch\nwith torch.inference_mode():\n    {WITH}        y = model(x)\n",
        device="cuda",
    )


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("model(x).backward()  # <--", "without its backward pass"),
        (
            "def train_step(x):\n    net(x).backward()\nfor x in y:\n    l = train_step(x)  # <--",
            "without its backward pass",
        ),
        (
            "class T:\n    def a(self): self.b()\n    def b(self): f().backward()\n"
            "    def c(self):\n        y = self.a()  # <--",
            "without its backward pass",
        ),
        ("for x in y:\n    out = model(x)  # <--", "no backward pass is to be seen"),
        ("def f():\n    out = model(x)  # <--\nout.backward()", "no backward pass is to be seen"),
        ("if model(x):  # <--\n    pass\nx.backward()", "by hand"),
        ("a = 1; loss = model(x)  # <--\nloss.backward()", "other statements share"),
        ("for x in y: loss = model(x)  # <--\nloss.backward()", "other statements share"),
        ("loss = model(x); loss.backward()  # <--", "by hand"),
        ("def f():\n    return model(x)  # <--", "by hand"),
        ("out = m(x)  # <--\nF.binary_cross_entropy(out, y).backward()", "with_logits"),
        (
            "with torch.no_grad():\n    y = model(x)  # <--\n    z = y.cpu()\n    z.numpy()",
            "call .float() before .numpy()",
        ),
    ],
)
def test_what_cannot_be_wrapped_safely_is_said_in_words(source: str, words: str) -> None:
    check_advice(RULE, f"import torch\n{source}\n", words, device="cuda")


@pytest.mark.parametrize(
    "source",
    [
        "with torch.autocast('cuda'):\n    y = model(x)  # <--\ny.backward()",
        "with amp.autocast():\n    for x in z:\n        y = model(x)  # <--\ny.backward()",
        "@torch.autocast('cuda')\ndef f(x):\n    y = model(x)  # <--\n    y.backward()",
        "with autocast(enabled=True) as a, b:  # <--\n    y = model(x)\ny.backward()",
        "# <--",
    ],
)
def test_nothing_is_offered_where_autocast_is_in_use(source: str) -> None:
    check_none(RULE, source, device="cuda")


COMMENTS = st.sampled_from(["", "", "  # 注: x", "  # noqa"])
BETWEEN = st.sampled_from(["", "", "\n", "{i}# between\n", "# at the margin\n", "{i}\n"])
FORWARD = st.sampled_from(
    [
        "out = 模型(x)",
        "out, _ = model(x, '😀')",
        "out = model(\n{i}    x,  # x\n{i}    y\n{i})",
        "out = model(x,\n          '''text\n  more\n''', y)",
        "out: Tensor = model(x) \\\n{i}  .mean()",
        "out = (\n# odd\n{i}model(f'{x}') +\n{i}1)",
    ]
)
LOSS = st.sampled_from(["", "loss = f(out, y)", "loss = f(\n{i}  out)", "n = len(y)"])


@st.composite
def loops(draw: st.DrawFn) -> str:
    """A loop with a forward pass on its fourth line."""
    unit = draw(st.sampled_from(["  ", "    ", "\t"]))
    outer = draw(st.sampled_from(["for x in d:", "while True:", "with a as x:", "def f(x):"]))
    imported = draw(st.sampled_from(["import torch", "import torch as t", "from torch import nn"]))
    lines = [f"# é\n{imported}\n{outer}\n"]
    for statement in (draw(FORWARD), draw(LOSS)):
        if statement:
            lines.append("{i}" + statement + draw(COMMENTS) + "\n" + draw(BETWEEN))
    text = "".join(lines) + "{i}out.backward()\n"
    return text.replace("{i}", unit).replace("\n", draw(st.sampled_from(["\n", "\r\n"])))


class Unwrapped(ast.NodeTransformer):
    """Takes autocast's ``with`` away, and ``import torch`` where ``added`` says it is new."""

    def __init__(self, added: bool) -> None:
        self.added = added

    def visit_With(self, node: ast.With) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        return node.body if "autocast" in ast.dump(node.items[0]) else node

    def visit_Import(self, node: ast.Import) -> ast.AST | None:
        return None if self.added and node.names[0].name == "torch" else node


@settings(deadline=None, max_examples=60)
@given(loops())
def test_any_layout_is_wrapped_and_nothing_else_changes(text: str) -> None:
    result = fixed(RULE, text, 4, device="cuda")
    assert result is not None
    added = "import nn" in text
    assert same_tree(Unwrapped(added).visit(ast.parse(result)), ast.parse(text))
    assert comments(result) == comments(text)
    assert len(result.split("\n")) == len(text.split("\n")) + 1 + added
    assert line_ends(result) == line_ends(text)
    assert fixed(RULE, result, 5 + added, device="cuda") is None
