"""Totals of blocks against a sum that was made another way: by hand, and line by line."""

from __future__ import annotations

import ast
import random

from stepscope.attribution.model import LineCost
from stepscope.editor.staleness import LineMap
from stepscope.editor.totals import step_title, title, totals, was_edited
from tests import factories as make

SOURCE = """\
import torch

class Block(nn.Module):
    def __init__(self):
        self.a = 1

    @checked
    def forward(self, x):
        def inner(y):
            return y * 2
        for part in x:
            z = inner(part)
            while z:
                z = z - 1
        return (
            z
        )

def main():
    for x in range(3):
        Block()(x)
"""
COSTS = {8: 1.0, 10: 2.0, 11: 4.0, 12: 8.0, 13: 16.0, 14: 32.0, 16: 64.0, 20: 128.0, 21: 256.0}


def costs(values: dict[int, float], source_file: str = make.TARGET) -> dict[int, LineCost]:
    return {line: make.line(line, ms, file=source_file) for line, ms in values.items()}


def test_each_line_counts_once_in_every_block_around_it() -> None:
    """The costs are powers of two, so a sum says which lines are in it."""
    found = {(t.name, t.header): t.cost_ms for t in totals(ast.parse(SOURCE), costs(COSTS))}
    assert found == {
        ("Block", 3): 127.0,
        ("forward", 8): 127.0,
        ("inner", 9): 2.0,
        ("this loop", 11): 4.0 + 8.0 + 16.0 + 32.0,
        ("this loop", 13): 16.0 + 32.0,
        ("main", 19): 384.0,
        ("this loop", 20): 384.0,
    }


def test_sums_agree_with_a_walk_over_indentation() -> None:
    """A random file of nested blocks; the other sum reads only how far lines are indented."""
    rng = random.Random(7)
    rows: list[str] = []
    depth = 0
    for _ in range(300):
        depth = rng.randint(0, min(depth, 6))
        head = rng.choice(["def f{}():", "class C{}:", "for i{} in x:", "while y{}:"])
        rows.append("    " * depth + head.format(len(rows)))
        depth += 1
        rows += ["    " * depth + f"z = {n}" for n in range(rng.randint(1, 3))]
    values = {line: rng.random() for line in range(1, len(rows) + 1) if rng.random() < 0.6}

    def indent(row: str) -> int:
        return len(row) - len(row.lstrip())

    expected = {}
    for number, row in enumerate(rows, 1):
        if row.endswith(":"):
            end = number
            while end < len(rows) and indent(rows[end]) > indent(row):
                end += 1
            inside = [values[n] for n in range(number, end + 1) if n in values]
            if inside:
                expected[number] = sum(inside)
    found = {t.header: t.cost_ms for t in totals(ast.parse("\n".join(rows)), costs(values))}
    assert found.keys() == expected.keys()
    assert all(abs(found[n] - expected[n]) < 1e-9 for n in expected)


def test_a_lens_says_share_forward_and_backward() -> None:
    profile = make.profile()
    by_line = {line.line: line for line in profile.lines}
    net, forward, main, loop = totals(ast.parse(make.SOURCE), by_line)
    assert title(profile, net, stale=False) == "Net · 54 % · 5.43 ms forward, 10.9 ms backward"
    assert title(profile, forward, stale=True) == (
        "forward · 54 % · 5.43 ms forward, 10.9 ms backward · 2026-01-02, before edit"
    )
    assert main.cost_ms == loop.cost_ms
    idle = make.line(16, 3.0, work_ms=0.0, forward_ms=0.0, backward_ms=0.0)
    (_, loop) = totals(ast.parse(make.SOURCE), {16: idle})
    assert title(profile, loop, stale=False) == "this loop · 10 % · 3.00 ms"


def test_what_costs_next_to_nothing_has_no_lens() -> None:
    (main, _) = totals(ast.parse(make.SOURCE), {16: make.line(16, 0.1)})
    assert title(make.profile(), main, stale=False) is None


def test_the_step_says_what_is_on_no_line() -> None:
    assert step_title(make.profile(), stale=False) == (
        "Step 30.0 ms on the CPU · 9 % on no line of yours (2.69 ms) · measured 2026-01-02"
    )
    on_gpu = make.profile(
        [make.line(11, 30.0)], run=make.run_info(device="cuda:0 NVIDIA H200", started=None)
    )
    assert step_title(on_gpu, stale=True) == "Step 30.0 ms · edited since"
    assert step_title(make.memory_only().profile, stale=False) is None


def test_a_block_knows_whether_it_was_edited() -> None:
    block, forward, *_, main, _ = totals(ast.parse(SOURCE), costs(COSTS))
    moved = LineMap(SOURCE, "# new\n" + SOURCE)
    assert not any(was_edited(moved, total) for total in (block, forward, main))
    edited = LineMap(SOURCE, SOURCE.replace("z - 1", "z - 2"))
    assert was_edited(edited, forward)
    assert was_edited(edited, block)
    assert not was_edited(edited, main)
