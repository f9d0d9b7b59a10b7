"""The fix of slow-input: ``num_workers=N`` in the very call, in its own layout."""

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
    unmarked,
)

RULE = "slow-input"
HEAD = "from torch.utils.data import DataLoader\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a = DataLoader(ds)", "a = DataLoader(ds, num_workers=3)"),
        ("a = DataLoader(ds, 32, True)", "a = DataLoader(ds, 32, True, num_workers=3)"),
        ("a = DataLoader(ds, batch_size=32,)", "a = DataLoader(ds, batch_size=32, num_workers=3,)"),
        ("a = DataLoader((ds))", "a = DataLoader((ds), num_workers=3)"),
        ("a = DataLoader( ds )", "a = DataLoader( ds, num_workers=3 )"),
        ("a = DataLoader((ds,))", "a = DataLoader((ds,), num_workers=3)"),
        ("a = DataLoader(ds, num_workers=0)", "a = DataLoader(ds, num_workers=3)"),
        ("a = DataLoader(ds, num_workers = 2, shuffle=True)",) * 2,
        (
            "a = DataLoader(ds, 1, True, None, None, 0)",
            "a = DataLoader(ds, 1, True, None, None, 3)",
        ),
        ("a = DataLoader(*ds, num_workers=0)", "a = DataLoader(*ds, num_workers=3)"),
        ("a = DataLoader(num_workers=0, **more)", "a = DataLoader(num_workers=3, **more)"),
        ("名 = '😀é'; b = DataLoader(データ)", "名 = '😀é'; b = DataLoader(データ, num_workers=3)"),
        ("f(DataLoader(ds), DataLoad(ds))", "f(DataLoader(ds, num_workers=3), DataLoad(ds))"),
        ("for x in DataLoader(ds): pass", "for x in DataLoader(ds, num_workers=3): pass"),
        (
            "a = torch.utils.data.DataLoader(ds, shuffle=True)",
            "a = torch.utils.data.DataLoader(ds, shuffle=True, num_workers=3)",
        ),
        (
            "a = DataLoader(ds, collate_fn=lambda b: b)",
            "a = DataLoader(ds, collate_fn=lambda b: b, num_workers=3)",
        ),
    ],
)
def test_calls_on_one_line(before: str, after: str) -> None:
    after = after.replace("num_workers = 2", "num_workers = 3")
    check_fix(RULE, f"{HEAD}{before}  {MARK}\n", f"{HEAD}{after}\n", workers=3)


def test_an_argument_per_line_keeps_its_comments_and_its_comma() -> None:
    check_fix(
        RULE,
        """
        def main():
            loader = DataLoader(  # <--
                dataset,
                batch_size=32,
                shuffle=True,  # a comment, with a (
                # num_workers=4,
            )
        """,
        """
        def main():
            loader = DataLoader(
                dataset,
                batch_size=32,
                shuffle=True,  # a comment, with a (
                num_workers=3,
                # num_workers=4,
            )
        """,
        workers=3,
    )


def test_an_argument_per_line_without_a_trailing_comma() -> None:
    check_fix(
        RULE,
        """
        loader = DataLoader(  # <--
        \tdataset,
        \tshuffle=True  # why
        )
        """,
        """
        loader = DataLoader(
        \tdataset,
        \tshuffle=True,  # why
        \tnum_workers=3
        )
        """,
        workers=3,
    )
    check_fix(
        RULE,
        "loader = DataLoader(  # <--\n  dataset,\n  (shuffle)\n)\n",
        "loader = DataLoader(\n  dataset,\n  (shuffle),\n  num_workers=3\n)\n",
        workers=3,
    )


def test_arguments_under_the_first_one() -> None:
    check_fix(
        RULE,
        """
        loader = DataLoader(dataset,  # <--
                            shuffle=True)
        """,
        """
        loader = DataLoader(dataset,
                            shuffle=True,
                            num_workers=3)
        """,
        workers=3,
    )
    check_fix(
        RULE,
        "x = DataLoader(a,  # <--\n    b,)\n",
        "x = DataLoader(a,\n    b,\n    num_workers=3,)\n",
        workers=3,
    )


def test_several_arguments_on_a_line_of_their_own() -> None:
    check_fix(
        RULE,
        "x = DataLoader(  # <--\n    a, batch_size=2, shuffle=True  # all\n)\n",
        "x = DataLoader(\n    a, batch_size=2, shuffle=True, num_workers=3  # all\n)\n",
        workers=3,
    )


def test_a_literal_among_several_lines_is_replaced_where_it_stands() -> None:
    check_fix(
        RULE,
        """
        loader = DataLoader(  # <--
            dataset,
            num_workers=0,  # the pictures are small
            drop_last=True,
        )
        """,
        """
        loader = DataLoader(
            dataset,
            num_workers=3,  # the pictures are small
            drop_last=True,
        )
        """,
        workers=3,
    )


def test_the_finding_may_be_on_any_line_of_the_call() -> None:
    check_fix(
        RULE,
        "x = DataLoader(\n    a,  # <--\n)\n",
        "x = DataLoader(\n    a,\n    num_workers=2,\n)\n",
        workers=2,
    )


@pytest.mark.parametrize(
    "imported",
    [
        "from torch.utils.data import DataLoader as Loader",
        "import torch\nLoader = torch.utils.data.DataLoader",
    ],
)
def test_a_call_by_another_name_is_found(imported: str) -> None:
    check_fix(
        RULE,
        f"{imported}\nx = Loader(ds)  # <--\n",
        f"{imported}\nx = Loader(ds, num_workers=2)\n",
        workers=2,
    )


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("x = DataLoader(ds, **options)", "Set num_workers=3 in the arguments that are unpacked"),
        ("x = DataLoader(*arguments)", "Set num_workers=3 in the arguments that are unpacked"),
        ("x = DataLoader(ds, num_workers=args.workers)", "here args.workers, to 3"),
        ("x = DataLoader(ds, num_workers=True)", "here True, to 3"),
        ("x = DataLoader(ds, 1, True, None, None, n)", "here n, to 3"),
        ("x, y = DataLoader(a), DataLoader(b)", "in the call that makes this loader"),
        ("x = DataLoader(i for i in y)", "in this call"),
        ("x = make_loader(ds)", "where this loader is made"),
        ("for x in loader: pass", "where this loader is made"),
        ("f'{DataLoader(ds)}'", "where this loader is made"),
        ("class DataLoader: pass\nx = DataLoader(ds)", "where this loader is made"),
    ],
)
def test_what_cannot_be_edited_safely_is_said_in_words(source: str, words: str) -> None:
    check_advice(RULE, f"{source}  {MARK}\n", words, workers=3)


@pytest.mark.parametrize(
    "source",
    [
        "x = 1  # <--",
        "x = DataLoader(ds, num_workers=3)  # <--",
        "x = DataLoader(ds, num_workers=8)  # <--",
        "x = DataLoader(ds)  # <--\ndef (",
        "import a\n# <--",
    ],
)
def test_nothing_is_offered_where_nothing_is_to_be_done(source: str) -> None:
    check_none(RULE, source, workers=3)


def test_nothing_is_offered_without_a_number_or_outside_the_text() -> None:
    assert fixed(RULE, "x = DataLoader(ds)\n", 1) is None
    assert fixed(RULE, "x = DataLoader(ds)\n", 7, workers=3) is None
    assert fixed("no-such-rule", "x = DataLoader(ds)\n", 1, workers=3) is None


def test_one_worker_is_not_called_workers() -> None:
    check_advice(RULE, f"x = make()  {MARK}", "Set num_workers=1", workers=1)


@pytest.mark.parametrize(
    ("source", "edited"),
    [
        ("x = DataLoader(ds)  # <--", False),
        ("if True:\n    x = DataLoader(ds)  # <--", False),
        ("class A:\n    x = DataLoader(ds)  # <--", False),
        ("if __name__ == '__main__':\n    x = DataLoader(ds)  # <--", True),
        ("def f():\n    x = DataLoader(ds)  # <--", True),
        ("class A:\n    def f(self):\n        x = DataLoader(ds)  # <--", True),
    ],
)
def test_workers_that_import_the_script_need_its_guard(source: str, edited: bool) -> None:
    text, line = unmarked(source)
    assert fixed(RULE, text, line, workers=2) is not None
    result = fixed(RULE, text, line, workers=2, start_method="spawn")
    assert (result is not None) is edited
    if not edited:
        check_advice(RULE, source, "under a __main__ guard", workers=2, start_method="spawn")


WORDS = st.sampled_from(["ds", "データ", "a.b[0]", "f(x, y=(1,))", "'é😀, ('", "(c)", "[1,\n 2]"])
NAMES = st.sampled_from(["batch_size", "shuffle", "drop_last", "collate_fn"])
COMMENTS = st.sampled_from(["", "", "  # 注 (, )", "  # noqa"])


@st.composite
def loader_calls(draw: st.DrawFn) -> str:
    """A statement with a call in one of the layouts that people and formatters write."""
    names = draw(st.lists(NAMES, unique=True, max_size=4))
    arguments = [draw(WORDS)] + [f"{name}={draw(WORDS)}" for name in names]
    if draw(st.booleans()):
        position = draw(st.integers(1, len(arguments)))
        arguments.insert(position, f"num_workers={draw(st.integers(0, 2))}")
    comma = draw(st.sampled_from(["", ","]))
    indent = draw(st.sampled_from(["", "    ", "\t"]))
    layout = draw(st.sampled_from(["line", "hanging", "exploded", "grouped"]))
    if layout == "line":
        inside = ", ".join(arguments) + comma
    elif layout == "hanging":
        lines = [f"{a},{draw(COMMENTS)}" for a in arguments[:-1]] + [arguments[-1] + comma]
        inside = f"\n{indent}          ".join(lines)
    elif layout == "exploded":
        lines = [f"{a},{draw(COMMENTS)}" for a in arguments[:-1]]
        lines.append(f"{arguments[-1]}{comma}{draw(COMMENTS)}")
        inside = "".join(f"\n{indent}    {line}" for line in lines) + f"\n{indent}"
    else:
        inside = f"\n{indent}    {', '.join(arguments)}{comma}{draw(COMMENTS)}\n{indent}"
    prefix = draw(st.sampled_from(["x = ", "数 = ", "s = '😀'; x = ", "for x in ", "return "]))
    suffix = ": pass" if prefix.startswith("for") else draw(COMMENTS)
    head = "def f():\n" if indent else "def f(): pass\n"
    if prefix == "return " and not indent:
        prefix = "x = "
    text = f"# é\n{head}{indent}{prefix}DataLoader({inside}){suffix}\n{indent}y = 1\n"
    return text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))


class Without(ast.NodeTransformer):
    """Takes ``num_workers`` out of each call of DataLoader."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "DataLoader":
            node.keywords = [k for k in node.keywords if k.arg != "num_workers"]
        return node


@settings(deadline=None, max_examples=60)
@given(loader_calls())
def test_any_layout_gains_the_argument_and_nothing_else(text: str) -> None:
    result = fixed(RULE, text, 3, workers=5)
    assert result is not None
    before, after = ast.parse(text), ast.parse(result)
    given_workers = [
        ast.literal_eval(k.value)
        for node in ast.walk(after)
        if isinstance(node, ast.Call)
        for k in node.keywords
        if k.arg == "num_workers"
    ]
    assert given_workers == [5]
    assert same_tree(Without().visit(before), Without().visit(after))
    assert comments(result) == comments(text)
    assert line_ends(result) == line_ends(text)
    assert fixed(RULE, result, 3, workers=5) is None
