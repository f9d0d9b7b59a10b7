"""Lenses that start a run: above every module class and above the ``__main__`` guard of a file."""

from __future__ import annotations

import ast
from collections import OrderedDict

from lsprotocol import types

from stepscope.editor.language_server import StepscopeServer
from stepscope.editor.protocol import COMMAND_PROFILE
from stepscope.editor.staleness import LineMap
from stepscope.editor.text import parse
from stepscope.editor.to_lsp import line_start

TITLE = "Profile this model"

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
        if text is None:
            return None
        return [
            types.CodeLens(
                range=line_start(line),
                command=types.Command(
                    title=TITLE, command=COMMAND_PROFILE, arguments=[{"uri": uri}]
                ),
            )
            for line in known.lens_lines(uri, text)
        ]

    server.add_feature(types.TEXT_DOCUMENT_CODE_LENS, code_lens)


def lens_lines(text: str) -> list[int] | None:
    """1-based lines to put a lens above; None for a text that does not parse."""
    tree = parse(text)
    if tree is None:
        return None
    return sorted({*_module_lines(tree), *_guard_lines(tree)})


class _LastGood:
    """Keeps the lenses in place while a line is being typed and the text does not parse."""

    def __init__(self, size: int = 64) -> None:
        self._known: OrderedDict[str, tuple[str, list[int]]] = OrderedDict()
        self._size = size

    def lens_lines(self, uri: str, text: str) -> list[int]:
        lines = lens_lines(text)
        if lines is not None:
            self._known[uri] = (text, lines)
            self._known.move_to_end(uri)
            if len(self._known) > self._size:
                self._known.popitem(last=False)
            return lines
        if uri not in self._known:
            return []
        good_text, good_lines = self._known[uri]
        line_map = LineMap(good_text, text)
        places = [line_map.current(line) for line in good_lines]
        return [place.line for place in places if place is not None]


def _module_lines(tree: ast.Module) -> list[int]:
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
            return list(found.values())
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
