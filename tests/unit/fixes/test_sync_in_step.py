"""The fix of sync-in-step: values kept on the device, logs written now and then."""

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

RULE = "sync-in-step"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("total += loss.item()", "total += loss.detach()"),
        ("self.合計 += 損失.item()", "self.合計 += 損失.detach()"),
        ("total += loss.item() * x.size(0)", "total += loss.detach() * x.size(0)"),
        ("total += len(x) * loss.item()", "total += len(x) * loss.detach()"),
        ("total += loss.item() / 2", "total += loss.detach() / 2"),
        ("hits += (p == y).sum().item()", "hits += (p == y).sum().detach()"),
        ("losses.append(loss.item())", "losses.append(loss.detach())"),
        ("self.losses.append(f(x).item())", "self.losses.append(f(x).detach())"),
        ("h['é'].append(l.item()); n += 1", "h['é'].append(l.detach()); n += 1"),
    ],
)
def test_what_is_collected_stays_on_the_device(before: str, after: str) -> None:
    check_fix(
        RULE,
        f"for x in d:\n    {before}  {MARK}\n",
        f"for x in d:\n    {after}\n",
        kind="item",
    )


def test_a_call_on_a_line_of_its_own_is_changed_there() -> None:
    check_fix(
        RULE,
        "while 1:\n    total += (loss  # <--\n        .item())\n",
        "while 1:\n    total += (loss\n        .detach())\n",
        kind="item",
    )


@pytest.mark.parametrize(
    "statement",
    [
        "total -= loss.item()",
        "total = total + loss.item()",
        "total += round(loss.item(), 3)",
        "total += a.item() + b.item()",
        "total += a.item() * b.item()",
        "total += loss.item( )",
        "losses.append((i, loss.item()))",
        "meter.update(loss.item(), n)",
        "value = loss.item()",
        "best = max(best, loss.item())",
        "if loss.item() > 3: break",
    ],
)
def test_where_a_number_may_be_needed_only_words_are_offered(statement: str) -> None:
    check_advice(RULE, f"for x in d:\n    {statement}  {MARK}\n", ".detach()", kind="item")


@pytest.mark.parametrize(
    "use", ["np.mean(losses)", "json.dump({'l': losses}, f)", "plt.plot(losses)"]
)
def test_what_a_library_of_numbers_reads_later_is_left_alone(use: str) -> None:
    source = f"def f():\n    for x in d:\n        losses.append(x.item())  {MARK}\n    {use}\n"
    check_advice(RULE, source, ".detach()", kind="item")


@pytest.mark.parametrize(
    ("loop", "counter"),
    [
        ("for i, x in enumerate(loader):", "i"),
        ("for i, (x, y) in enumerate(loader, 1):", "i"),
        ("for step in range(100):", "step"),
        ("for step in range(5, n):", "step"),
        ("for i, x in tqdm(enumerate(loader), total=3):", "i"),
        ("for i in tqdm.tqdm(range(3)):", "i"),
        ("for i in trange(3):", "i"),
    ],
)
def test_a_log_in_a_counted_loop_is_written_now_and_then(loop: str, counter: str) -> None:
    for statement in (
        "print(f'{loss.item():.3f}')",
        "logger.info('%f', loss.item())",
        "writer.add_scalar('loss', loss.item(), n)",
        "pbar.set_postfix(loss=loss.item())",
        "wandb.log({'loss': loss.item()})",
    ):
        check_fix(
            RULE,
            f"{loop}\n    f()\n    {statement}  {MARK}\n    g()\n",
            f"{loop}\n    f()\n    if {counter} % 50 == 0:\n        {statement}\n    g()\n",
            kind="item",
        )


def test_a_log_of_several_lines_is_indented_as_a_whole() -> None:
    check_fix(
        RULE,
        """
        for i in range(9):
        \twith a:
        \t\tprint(
        \t\t\t'損失',  # <--
        \t\t\tloss.item(),
        \t\t)
        """,
        """
        for i in range(9):
        \twith a:
        \t\tif i % 50 == 0:
        \t\t\tprint(
        \t\t\t\t'損失',
        \t\t\t\tloss.item(),
        \t\t\t)
        """,
        kind="print",
    )


@pytest.mark.parametrize(
    "source",
    [
        "for x in loader:\n    print(loss)  # <--",
        "for i in range(0, n, 64):\n    print(loss)  # <--",
        "for i in things(3):\n    print(loss)  # <--",
        "for i, x in enumerate(d):\n    i = f(i)\n    print(loss)  # <--",
        "for i in range(3):\n    while a:\n        print(loss)  # <--",
        "for i in range(3):\n    def f():\n        print(loss)  # <--",
        "for a, b in range(3):\n    print(loss)  # <--",
        "for i in range(3): print(loss)  # <--",
        "for i in range(3):\n    print(a := loss)  # <--",
        "for i in range(3):\n    x = print(loss)  # <--",
        "for i, x in tqdm(loader):\n    print(loss)  # <--",
        "while True:\n    print(loss)  # <--",
    ],
)
def test_a_log_without_a_plain_counter_is_left_to_the_reader(source: str) -> None:
    check_advice(RULE, source, "Print every 50 steps", kind="print")


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("cpu", "Copy to the host after the loop"),
        ("something-new", ".detach()"),
    ],
)
def test_each_kind_has_its_advice(kind: str, words: str) -> None:
    check_advice(RULE, f"for x in d:\n    y = f(x)  {MARK}\n", words, kind=kind)


@pytest.mark.parametrize(
    "source",
    [
        "for i in range(3):\n    if i % 9 == 0:\n        print(loss.item())  # <--",
        "for i in range(3):\n    if i % n == 0 and x:\n        y = loss.item()  # <--",
        "for i in range(3):\n    total += loss.detach()  # <--",
        "for i in range(3):\n    xs.append(loss.detach())  # <--",
        "for i in range(3):\n    y = 1  # <--",
        "for i in range(3):\n    # <--\n    y = 1",
        "for i in (:\n    loss.item()  # <--",
    ],
)
def test_nothing_is_offered_where_it_is_done_already(source: str) -> None:
    check_none(RULE, source, kind="item")


STATEMENTS = st.sampled_from(
    [
        "print('名', loss.item())",
        "print(\n{i}    loss.item(),  # n\n{i})",
        "print('''a\n  b''', loss.item())",
        "log.info(\n  '%s', loss.item())",
    ]
)


@settings(deadline=None, max_examples=60)
@given(
    STATEMENTS,
    st.sampled_from(["  ", "    ", "\t"]),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["", "  # é (", " # x"]),
    st.integers(0, 2),
)
def test_any_log_is_wrapped_and_nothing_else_changes(
    statement: str, unit: str, newline: str, comment: str, depth: int
) -> None:
    indent = unit * (depth + 1)
    inner = "".join(f"{unit * (n + 1)}with a{n}:\n" for n in range(depth))
    text = f"for i in range(9):\n{inner}{indent}{statement}{comment}\n{indent}y = 1\n"
    text = text.replace("{i}", indent).replace("\n", newline)
    line = 2 + depth
    result = fixed(RULE, text, line, kind="item")
    assert result is not None

    class Unwrapped(ast.NodeTransformer):
        def visit_If(self, node: ast.If) -> list[ast.stmt]:
            assert ast.unparse(node.test) == "i % 50 == 0"
            return node.body

    assert same_tree(Unwrapped().visit(ast.parse(result)), ast.parse(text))
    assert comments(result) == comments(text)
    assert line_ends(result) == {newline}
    assert fixed(RULE, result, line + 1, kind="item") is None
