"""Calls of ``DataLoader(...)`` in a source, and keywords set in them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from stepscope.diagnosis.source import Source, calls, dotted_name, header
from stepscope.fixes.edits import add_argument, replace, unpacks
from stepscope.fixes.model import Fix

_CLASS = "DataLoader"

_POSITIONS = {"num_workers": 5, "pin_memory": 7}
"""Of those parameters that old code gives by position."""


def set_in_loader(
    file: str, source: Source, line: int, keyword: str, value: str, title: str
) -> Fix | None:
    """``keyword=value`` in the call on ``line``; advice where its arguments are not all there.

    None where the line makes no loader, and where the call says so already.
    """
    found = list(loader_calls(source, line))
    found = [call for call in found if source.start(call)[0] == line] or found
    advice = f"Set {keyword}={value}"
    if not found:
        return Fix(f"{advice} where this loader is made", ()) if any_call(source, line) else None
    if len(found) > 1:
        return Fix(f"{advice} in the call that makes this loader", ())
    call = found[0]
    given = given_argument(call, keyword)
    if given is not None:
        text = source.segment(given)
        if text == value:
            return None
        alike = isinstance(given, ast.Constant) and (
            given.value is None or type(given.value) is type(ast.literal_eval(value))
        )
        if not alike:
            return Fix(f"Set {keyword}, here {text}, to {value}", ())
        return Fix(title, (replace(file, source.start(given), source.end(given), value),))
    if unpacks(call):
        return Fix(f"{advice} in the arguments that are unpacked here", ())
    if not (call.args or call.keywords) or is_bare_generator(call):
        return Fix(f"{advice} in this call", ())
    return Fix(title, add_argument(file, source, call, f"{keyword}={value}"))


def given_argument(call: ast.Call, keyword: str) -> ast.expr | None:
    """What the call gives for the parameter, by name or by position; None where it does not."""
    for given in call.keywords:
        if given.arg == keyword:
            return given.value
    position = _POSITIONS.get(keyword)
    if position is None or len(call.args) <= position:
        return None
    before = call.args[: position + 1]
    return None if any(isinstance(a, ast.Starred) for a in before) else before[position]


def loader_calls(source: Source, line: int) -> Iterator[ast.Call]:
    """Calls of DataLoader, by whatever name it was imported, that ``line`` is part of."""
    names = _loader_names(source.tree)
    for node in ast.walk(source.tree):
        # Before Python 3.12 positions inside f-strings are not those of the source.
        if isinstance(node, ast.Call) and id(node) not in source.in_strings:
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


def any_call(source: Source, line: int) -> bool:
    """Whether a loader can come from what is on the line: from a call, or from a loop over it."""
    for place in source.places_at(line):
        if isinstance(place.statement, (ast.For, ast.AsyncFor)):
            return True
        if any(any(calls(part)) for part in header(place.statement)):
            return True
    return False


def is_bare_generator(call: ast.Call) -> bool:
    """Whether the only argument is a generator, whose parentheses may be those of the call."""
    return not call.keywords and len(call.args) == 1 and isinstance(call.args[0], ast.GeneratorExp)
