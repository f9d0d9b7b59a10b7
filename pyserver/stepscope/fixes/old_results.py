"""old-results: delete the variable at the end of the loop's body."""

from __future__ import annotations

import ast

from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.source import Place, Source
from stepscope.fixes.edits import indent_unit, insert
from stepscope.fixes.model import Fix
from stepscope.fixes.rewriting import names_read

RULE = "old-results"
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def fix(finding: Finding, source: Source, line: int) -> Fix | None:
    """``del x`` as the last statement of the innermost loop; words where ``x`` is needed later."""
    place = source.place_at(line)
    if place is None:
        return None
    names = _targets(place.statement)
    loop = _loop(place)
    if not names or loop is None:
        return Fix("Delete the results of a step before the next one begins", ())
    spelled = ", ".join(names)
    title = f"Delete {spelled} at the end of each pass"
    last = loop.body[-1]
    if isinstance(last, ast.Delete) and {ast.unparse(t) for t in last.targets} >= set(names):
        return None
    if _read_elsewhere(source, loop, place, set(names)) or _leaves_early(loop):
        return Fix(f"{title}: by hand, as it may be read after it", ())
    if place not in [p for p in source.places if p.block is loop.body]:
        return Fix(f"{title}: by hand, as not every pass makes it", ())
    end = source.end(last)
    rest = source.lines[end[0] - 1][end[1] :]
    if (rest.strip() and not rest.strip().startswith("#")) or _on_one_line(loop):
        return Fix(title, ())
    at = (end[0], end[1] + len(rest))
    body = source.indent(loop.body[0].lineno) or source.indent(loop.lineno) + indent_unit(
        source, place
    )
    return Fix(title, (insert(finding.file, at, f"{source.newline}{body}del {spelled}"),))


def _targets(statement: ast.stmt) -> list[str]:
    """Plain names that an assignment gives a value."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return []
    target = statement.targets[0]
    parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
    names = [part.id for part in parts if isinstance(part, ast.Name)]
    return names if len(names) == len(parts) else []


def _loop(place: Place) -> ast.For | ast.While | None:
    for parent in reversed(place.parents):
        if isinstance(parent, (ast.For, ast.While)):
            return parent
        if isinstance(parent, _SCOPES):
            return None
    return None


def _read_elsewhere(
    source: Source, loop: ast.For | ast.While, place: Place, names: set[str]
) -> bool:
    """Whether the names are read outside the loop's body, before they are made, or by closures."""
    inside = {id(node) for statement in loop.body for node in ast.walk(statement)}
    outside = [n for n in ast.walk(source.tree) if isinstance(n, ast.Name) and id(n) not in inside]
    scope = next((p for p in reversed(place.parents) if isinstance(p, _SCOPES)), source.tree)
    own = {id(node) for node in ast.walk(scope)}
    if any(n.id in names and isinstance(n.ctx, ast.Load) and id(n) in own for n in outside):
        return True
    before = loop.body[: next((i for i, s in enumerate(loop.body) if s is place.statement), 0)]
    nested = [n for s in loop.body for n in ast.walk(s) if isinstance(n, _SCOPES)]
    declared = [n for n in ast.walk(scope) if isinstance(n, (ast.Global, ast.Nonlocal))]
    return bool(names & names_read([*before, *nested])) or any(
        names & set(node.names) for node in declared
    )


def _leaves_early(loop: ast.For | ast.While) -> bool:
    return any(isinstance(n, ast.Continue) for s in loop.body for n in ast.walk(s))


def _on_one_line(loop: ast.For | ast.While) -> bool:
    return loop.body[0].lineno == loop.lineno
