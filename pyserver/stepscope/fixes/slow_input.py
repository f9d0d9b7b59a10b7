"""slow-input: give the ``DataLoader(...)`` call its number of workers."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from stepscope import format as fmt
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.source import Source, calls, dotted_name, header
from stepscope.fixes.edits import add_argument, replace
from stepscope.fixes.model import Fix

RULE = "slow-input"

_CLASS = "DataLoader"
_KEYWORD = "num_workers"
_POSITION = 5  # of num_workers among DataLoader's positional parameters


def fix(finding: Finding, source: Source, line: int) -> Fix | None:
    """``num_workers=N`` in the call on ``line``; advice where its arguments are not all there."""
    workers = finding.evidence.get("workers")
    if not isinstance(workers, (int, float)) or workers < 1:
        return None
    count = int(workers)
    found = list(_loader_calls(source, line))
    found = [call for call in found if source.start(call)[0] == line] or found
    if not found:
        return _advice(count, "where this loader is made") if _any_call(source, line) else None
    if len(found) > 1:
        return _advice(count, "in the call that makes this loader")
    call = found[0]
    given = _given(call)
    if given is not None:
        return _replaced(finding, source, given, count)
    if any(keyword.arg is None for keyword in call.keywords):
        return _advice(count, "in the arguments that are unpacked here")
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        return _advice(count, "in the arguments that are unpacked here")
    if not (call.args or call.keywords) or _is_bare_generator(call):
        return _advice(count, "in this call")
    if _needs_guard(finding, source, call):
        return _advice(count, "after moving the script's work under a __main__ guard")
    edits = add_argument(finding.file, source, call, f"{_KEYWORD}={count}")
    return Fix(_title(count), edits)


def _title(count: int) -> str:
    return f"Load with {fmt.plural(count, 'worker')} (num_workers={count})"


def _advice(count: int, where: str) -> Fix:
    return Fix(f"Set num_workers={count} {where}", ())


def _loader_calls(source: Source, line: int) -> Iterator[ast.Call]:
    """Calls of DataLoader, by whatever name it was imported, that ``line`` is part of."""
    names = _loader_names(source.tree)
    in_strings = {
        id(part)
        for node in ast.walk(source.tree)
        if isinstance(node, ast.JoinedStr)
        for part in ast.walk(node)
    }
    for node in ast.walk(source.tree):
        # Before Python 3.12 positions inside f-strings are not those of the source.
        if isinstance(node, ast.Call) and id(node) not in in_strings:
            name = dotted_name(node.func)
            covers = node.lineno <= line <= (node.end_lineno or node.lineno)
            if covers and (name in names or name.endswith(f".{_CLASS}")):
                yield node


def _loader_names(tree: ast.Module) -> frozenset[str]:
    """What DataLoader is called in this module; its own class of that name has other arguments."""
    names = {_CLASS}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names |= {alias.asname or _CLASS for alias in node.names if alias.name == _CLASS}
        elif isinstance(node, ast.Assign) and dotted_name(node.value).endswith(f".{_CLASS}"):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.ClassDef) and node.name == _CLASS:
            return frozenset()
    return frozenset(names)


def _any_call(source: Source, line: int) -> bool:
    """Whether a loader can come from what is on the line: from a call, or from a loop over it."""
    for place in source.places_at(line):
        if isinstance(place.statement, (ast.For, ast.AsyncFor)):
            return True
        if any(any(calls(part)) for part in header(place.statement)):
            return True
    return False


def _given(call: ast.Call) -> ast.expr | None:
    for keyword in call.keywords:
        if keyword.arg == _KEYWORD:
            return keyword.value
    positional = call.args[: _POSITION + 1]
    if len(positional) > _POSITION and not any(isinstance(a, ast.Starred) for a in positional):
        return positional[_POSITION]
    return None


def _replaced(finding: Finding, source: Source, given: ast.expr, count: int) -> Fix | None:
    if not isinstance(given, ast.Constant) or type(given.value) is not int:
        return Fix(f"Set {_KEYWORD}, here {source.segment(given)}, to {count}", ())
    if given.value >= count:
        return None
    edit = replace(finding.file, source.start(given), source.end(given), str(count))
    return Fix(_title(count), (edit,))


def _is_bare_generator(call: ast.Call) -> bool:
    """Whether the only argument is a generator, whose parentheses may be those of the call."""
    return not call.keywords and len(call.args) == 1 and isinstance(call.args[0], ast.GeneratorExp)


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
