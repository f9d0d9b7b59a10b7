"""slow-input: give the ``DataLoader(...)`` call its number of workers."""

from __future__ import annotations

import ast

from stepscope import format as fmt
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.source import Source
from stepscope.fixes.loader_calls import given_argument, loader_calls, set_in_loader
from stepscope.fixes.model import Fix

RULE = "slow-input"

_KEYWORD = "num_workers"


def fix(finding: Finding, source: Source, line: int) -> Fix | None:
    """``num_workers=N`` in the call on ``line``; advice where its arguments are not all there."""
    workers = finding.evidence.get("workers")
    if not isinstance(workers, (int, float)) or workers < 1:
        return None
    count = int(workers)
    title = f"Load with {fmt.plural(count, 'worker')} ({_KEYWORD}={count})"
    for call in loader_calls(source, line):
        given = given_argument(call, _KEYWORD)
        if isinstance(given, ast.Constant) and type(given.value) is int and given.value >= count:
            return None
        if given is None and _needs_guard(finding, source, call):
            words = f"Set {_KEYWORD}={count} after moving the script's work under a __main__ guard"
            return Fix(words, ())
    return set_in_loader(finding.file, source, line, _KEYWORD, str(count), title)


def _needs_guard(finding: Finding, source: Source, call: ast.Call) -> bool:
    """Whether started workers would run this very line again when they import the script."""
    if finding.evidence.get("start_method") != "spawn":
        return False
    for node in ast.walk(source.tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            guards = True
        else:
            guards = isinstance(node, ast.If) and "__name__" in source.segment(node.test)
        if guards and any(part is call for part in ast.walk(node)):
            return False
    return True
