"""Calls that somebody wrote down, put together from text. No torch, nothing is run."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

import pytest

from stepscope.agent.modelonly.usage import BATCH, Usage, documented, with_batch

CLASS = '''
class Net(nn.Module):
    """{doc}"""
    def __init__(self, width, depth=1):
        pass
'''


def usages(
    text: str, path: Path = Path("/nowhere/net.py"), factories: tuple[str, ...] = ()
) -> list[Usage]:
    tree = ast.parse(textwrap.dedent(text))
    return documented(tree, str(path), "Net", factories, {"Net", "Config", "make", "torch", "nn"})


def guard(body: str, doc: str = "") -> str:
    indented = textwrap.indent(textwrap.dedent(body).strip(), "    ")
    return f"{CLASS.format(doc=doc)}\nif __name__ == '__main__':\n{indented}\n"


def shown(text: str) -> tuple[str | None, tuple[str, ...], tuple[tuple[str, str], ...]]:
    (usage,) = usages(text)
    return usage.constructor, usage.args, usage.kwargs


def test_names_are_replaced_by_what_they_were_assigned() -> None:
    text = guard(
        """
        b, size = 4, (8, 8)
        net = Net(width=2 * 8)
        x = torch.randn(b, 3, *size)
        y = net(x, mask=None)
        """
    )
    expected = (f"torch.randn({BATCH}, 3, *(8, 8))",)
    assert shown(text) == ("Net(width=2 * 8)", expected, (("mask", "None"),))


@pytest.mark.parametrize(
    "placed",
    [
        "net = Net(3).to(device)\nnet.eval()\nnet(torch.randn(2, 3).to(device))",
        "net = Net(3).cuda()\nnet(torch.randn(2, 3, device=device))",
        "net = torch.nn.DataParallel(Net(3))\nnet.forward(torch.randn(2, 3).cuda())",
        "Net(3)(torch.randn(2, 3))",
        "with torch.no_grad():\n    print(Net(3)(torch.randn(2, 3)).shape)",
    ],
)
def test_placing_on_a_device_is_taken_out(placed: str) -> None:
    text = guard("device = pick()\n" + placed)
    assert shown(text) == ("Net(3)", (f"torch.randn({BATCH}, 3)",), ())


def test_a_docstring_with_prompts() -> None:
    doc = """Docs.

    >>> net = Net(3)
    >>> net(torch.zeros(5, 3))
    tensor(...)
    """
    (usage,) = usages(CLASS.format(doc=doc))
    assert (usage.constructor, usage.args) == ("Net(3)", (f"torch.zeros({BATCH}, 3)",))
    assert (usage.source, usage.batch) == ("the docstring of Net", 5)


def test_a_readme_above_and_a_test_beside(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text(
        "```bash\npip install net\n```\n\n```python\nfrom net import Net\nn = Net(7)\n"
        "n(torch.randn(1, 7))\n```\n"
    )
    inner = tmp_path / "net"
    inner.mkdir()
    (inner / "test_net.py").write_text("def test_it():\n    Net(9)(torch.randn(2, 9))\n")
    found = usages(CLASS.format(doc=""), inner / "net.py")
    assert [(usage.constructor, usage.source) for usage in found] == [
        ("Net(9)", "test_net.py"),
        ("Net(7)", "README.md"),
    ]


def test_a_factory_and_a_configuration_of_the_file() -> None:
    text = guard("config = Config(dim=8)\nnet = make(config)\nnet(torch.ones(2, 8))")
    (usage,) = usages(text, factories=("make",))
    assert usage.constructor == "make(Config(dim=8))"


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("net = Net(args.width)\nnet(x)", id="arguments"),
        pytest.param("net = Net(3)\nnet(next(iter(loader)))", id="data"),
        pytest.param("net = Net(open('w').read())\nnet(torch.load('x.pt'))", id="files"),
        pytest.param("net = Net(__import__('os').getpid())", id="imports"),
        pytest.param("net = Other(3)\nnet(torch.randn(2, 3))", id="another class"),
    ],
)
def test_what_needs_more_than_the_file_is_passed_over(body: str) -> None:
    text = guard(f"args = parse()\n{body}")
    assert [u for u in usages(text) if u.called] == []
    assert all(u.constructor == "Net(3)" for u in usages(text))


@pytest.mark.parametrize(
    ("texts", "expected", "batch"),
    [
        (["torch.randn(4, 3)"], [f"torch.randn({BATCH}, 3)"], 4),
        (["torch.randn((4, 3))"], [f"torch.randn(({BATCH}, 3))"], 4),
        (["torch.randint(0, 9, (4, 7))"], [f"torch.randint(0, 9, ({BATCH}, 7))"], 4),
        (["torch.randint(9, size=(4,))"], [f"torch.randint(9, size=({BATCH},))"], 4),
        (
            ["{'a': torch.ones(2, 3), 'b': torch.rand(2)}"],
            [f"{{'a': torch.ones({BATCH}, 3), 'b': torch.rand({BATCH})}}"],
            2,
        ),
        # Sizes that differ are no batch, and neither is a size that is computed.
        (["torch.randn(4, 3)", "torch.randn(2, 3)"], None, None),
        (["torch.randn(n, 3)"], None, None),
        (["3"], None, None),
    ],
)
def test_the_leading_size_is_the_batch(
    texts: list[str], expected: list[str] | None, batch: int | None
) -> None:
    assert with_batch(texts) == (texts if expected is None else expected, batch)
