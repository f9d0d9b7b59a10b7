"""Lenses that start a run: above module classes, the ``__main__`` guard, and loops to choose.

Those that say something of the last run stand beside them (``assumptions``, ``total_lenses``).
"""

from __future__ import annotations

import ast
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from lsprotocol import types

from stepscope.editor.assumptions import assumed_lenses
from stepscope.editor.language_server import StepscopeServer
from stepscope.editor.lens import Lens
from stepscope.editor.staleness import LineMap
from stepscope.editor.step_loops import step_loops
from stepscope.editor.text import parse
from stepscope.editor.to_lsp import line_start
from stepscope.editor.total_lenses import total_lenses
from stepscope.report.source import split_lines

TITLE = "Profile this model"
TITLE_LOOP = "Profile this loop"
TITLE_CHOSEN = "Profile this loop (chosen)"
TITLE_FORGET = "Let Stepscope choose"

_BASES = frozenset({"Module", "LightningModule", "PreTrainedModel"})
_NAMESPACES = frozenset({"nn", "torch.nn"})
_NOT_MODULES = frozenset({"Parameter", "ParameterList", "Buffer"})


def register(server: StepscopeServer) -> None:
    """Offer code lenses."""
    known = _LastGood()

    def code_lens(
        server: StepscopeServer, params: types.CodeLensParams
    ) -> list[types.CodeLens] | None:
        uri = params.text_document.uri
        path = server.path_of(uri)
        text = None if path is None else server.text_of(path)
        if path is None or text is None:
            return None
        chosen = server.choices.line(path, text)
        return [
            types.CodeLens(
                range=line_start(lens.line),
                command=types.Command(
                    title=lens.title,
                    command=lens.command,
                    arguments=[{"uri": uri, **lens.arguments}] if lens.command else None,
                ),
            )
            for lens in [
                *(
                    known.lenses(uri, text, lambda text: lenses(text, chosen))
                    if server.options.code_lens.run
                    else ()
                ),
                *assumed_lenses(server, path, text),
                *total_lenses(server, path, text),
            ]
        ]

    server.add_feature(types.TEXT_DOCUMENT_CODE_LENS, code_lens)


def lenses(text: str, chosen: int | None = None) -> list[Lens] | None:
    """Every lens of a file; None for a text that does not parse.

    ``chosen`` is the line of the loop that was chosen before.
    """
    tree = parse(text)
    if tree is None:
        return None
    starts: dict[int, dict[str, Any]] = {line: {} for line in _guard_lines(tree)}
    starts |= {line: {"symbol": name} for name, line in _module_lines(tree).items()}
    return [
        *(Lens(line, TITLE, starts[line]) for line in sorted(starts)),
        *_loop_lenses(tree, text, chosen),
    ]


def _loop_lenses(tree: ast.Module, text: str, chosen: int | None) -> list[Lens]:
    """A lens on each loop that may be the step, where there is more than one."""
    lines = [loop.line for loop in step_loops(tree, split_lines(text))]
    if chosen is not None and chosen not in lines:
        lines = sorted([*lines, chosen])
    if len(lines) < 2 and chosen is None:
        return []
    found: list[Lens] = []
    for line in lines:
        title = TITLE_CHOSEN if line == chosen else TITLE_LOOP
        found.append(Lens(line, title, {"loop": line}))
        if line == chosen:
            found.append(Lens(line, TITLE_FORGET, {"loop": None}))
    return found


class _LastGood:
    """Keeps the lenses in place while a line is being typed and the text does not parse."""

    def __init__(self, size: int = 64) -> None:
        self._known: OrderedDict[str, tuple[str, list[Lens]]] = OrderedDict()
        self._size = size

    def lenses(self, uri: str, text: str, find: Callable[[str], list[Lens] | None]) -> list[Lens]:
        found = find(text)
        if found is not None:
            self._known[uri] = (text, found)
            self._known.move_to_end(uri)
            if len(self._known) > self._size:
                self._known.popitem(last=False)
            return found
        if uri not in self._known:
            return []
        good_text, good = self._known[uri]
        line_map = LineMap(good_text, text)
        placed = [(line_map.current(lens.line), lens) for lens in good]
        return [replace(lens, line=place.line) for place, lens in placed if place is not None]


def _module_lines(tree: ast.Module) -> dict[str, int]:
    """Module classes by name, with the line of each."""
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    modules = set(_imported_bases(tree))
    found: dict[str, int] = {}
    # A class may follow the one that inherits from it only in nested scopes, but names are few.
    while True:
        new = {
            node.name: _first_line(node)
            for node in classes
            if node.name not in found and any(_is_module(base, modules) for base in node.bases)
        }
        if not new:
            return found
        found |= new
        modules |= set(new)


def _imported_bases(tree: ast.Module) -> list[str]:
    """Names that stand for one of the known bases in this file."""
    names = list(_BASES)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names += [alias.asname for alias in node.names if alias.asname and alias.name in _BASES]
    return names


def _is_module(base: ast.expr, modules: set[str]) -> bool:
    if isinstance(base, ast.Subscript):
        base = base.value
    if isinstance(base, ast.Name):
        return base.id in modules
    if not isinstance(base, ast.Attribute):
        return False
    if base.attr in _BASES:
        return True
    # nn.Linear, nn.Sequential, ...: every class there is a module but a few.
    is_class = base.attr[:1].isupper() and base.attr not in _NOT_MODULES
    return is_class and ast.unparse(base.value) in _NAMESPACES


def _first_line(node: ast.ClassDef) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _guard_lines(tree: ast.Module) -> list[int]:
    return [
        node.lineno for node in tree.body if isinstance(node, ast.If) and _is_main_test(node.test)
    ]


def _is_main_test(test: ast.expr) -> bool:
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1):
        return False
    sides = [test.left, *test.comparators]
    names = [side.id for side in sides if isinstance(side, ast.Name)]
    values = [side.value for side in sides if isinstance(side, ast.Constant)]
    return isinstance(test.ops[0], ast.Eq) and names == ["__name__"] and values == ["__main__"]
