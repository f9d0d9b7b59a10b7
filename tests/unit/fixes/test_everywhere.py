"""Every edit in files that nobody wrote for it: a call is put at a random place of one.

The files are the standard library's: old and new style, decorators, strings over many lines, tabs.
"""

from __future__ import annotations

import ast
import sysconfig
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from stepscope.diagnosis.source import Source
from stepscope.fixes import apply_edits, discover_fixers, fix_for
from stepscope.fixes.edits import stands_alone
from tests.unit.fixes.check import comments, finding

EDITS: tuple[tuple[str, dict[str, Any], str, str], ...] = (
    ("slow-input", {"workers": 2}, "x = DataLoader(d, 8)", "x = DataLoader(d, 8, num_workers=2)"),
    (
        "too-many-workers",
        {"workers": 2},
        "x = DataLoader(d, num_workers=9)",
        "x = DataLoader(d, num_workers=2)",
    ),
    (
        "persistent-workers",
        {},
        "x = f(DataLoader(d, shuffle=True))",
        "x = f(DataLoader(d, shuffle=True, persistent_workers=True))",
    ),
    (
        "short-prefetch",
        {"wanted": 4},
        "with DataLoader(d, prefetch_factor=2) as x: pass",
        "with DataLoader(d, prefetch_factor=4) as x: pass",
    ),
    (
        "pageable-copy",
        {"at": "loader"},
        "x = DataLoader(d, batch_size=8,)",
        "x = DataLoader(d, batch_size=8, pin_memory=True,)",
    ),
    ("blocking-copy", {}, "x = y.to(d)", "x = y.to(d, non_blocking=True)"),
    ("pin-in-loop", {}, "x = y.pin_memory().to(d)", "x = y.to(d)"),
    (
        "cpu-made-tensor",
        {},
        "x = torch.zeros(3).to(device)",
        "x = torch.zeros(3, device=device)",
    ),
    (
        "type-round-trip",
        {},
        "x = y.type(torch.LongTensor).to(d)",
        "x = y.type(torch.int64).to(d)",
    ),
    ("explicit-synchronize", {}, "torch.cuda.synchronize()", ""),
    ("empty-cache", {}, "torch.cuda.empty_cache()", ""),
    ("gc-in-step", {}, "gc.collect()", ""),
    ("sync-in-step", {"kind": "item"}, "sums += loss.item()", "sums += loss.detach()"),
)


@cache
def modules() -> tuple[Path, ...]:
    """Files of the standard library that are neither tiny nor huge."""
    folder = Path(sysconfig.get_paths()["stdlib"])
    return tuple(sorted(p for p in folder.glob("*.py") if 2_000 < p.stat().st_size < 16_000))


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10_000), st.integers(0, 100_000), st.sampled_from(EDITS), st.booleans())
def test_an_edit_changes_its_own_line_and_nothing_else(
    module: int,
    where: int,
    edit: tuple[str, dict[str, Any], str, str],
    commented: bool,
) -> None:
    rule, evidence, before, after = edit
    source = Source(modules()[module % len(modules())].read_text(encoding="utf-8"))
    places = [
        place
        for place in source.places
        if isinstance(place.statement, (ast.Assign, ast.Expr, ast.Return, ast.For, ast.If))
        and source.start(place.statement)[0] > 1
        and not source.lines[place.statement.lineno - 1][: place.statement.col_offset].strip()
        and "__future__" not in source.text
        and (stands_alone(source, place) or hasattr(place.statement, "body"))
        and not source.lines[place.statement.lineno - 2].endswith("\\")
        and _is_no_elif(source, place.statement)
    ]
    if not places or "class DataLoader" in source.text:
        return
    chosen = places[where % len(places)].statement
    indent = source.indent(chosen.lineno)
    tail = "  # why" if commented else ""
    lines = list(source.lines)
    lines.insert(chosen.lineno - 1, indent + before + tail)
    text = "\n".join(lines)
    ast.parse(text)
    fix = fix_for(finding(rule, chosen.lineno, **evidence), text, chosen.lineno)
    assert fix is not None
    result = apply_edits(text, fix.edits)
    if rule == "explicit-synchronize" and not fix.edits:
        return  # a clock is read next to it
    expected = list(lines)
    if after:
        expected[chosen.lineno - 1] = indent + after + tail
    elif commented:
        expected[chosen.lineno - 1] = indent + tail.strip()
    else:
        del expected[chosen.lineno - 1]
    assert result == "\n".join(expected)
    ast.parse(result)
    assert comments(result) == comments(text)
    again = fix_for(finding(rule, chosen.lineno, **evidence), result, chosen.lineno)
    assert again is None or not again.edits


def _is_no_elif(source: Source, statement: ast.stmt) -> bool:
    return not source.lines[statement.lineno - 1].lstrip().startswith("elif")


def test_edits_of_many_rules_are_among_them() -> None:
    assert len({rule for rule, *_ in EDITS}) >= 12
    assert {rule for rule, *_ in EDITS} <= set(discover_fixers())
