"""Recorded places -> lines of the files that are here.

A recording names a function and a line of a file as that was then. The file here may have been
edited since, or be another one of the same name, so a line counts only where a function of that
name is. A function that has moved is found by its name, if there is one of that name and the path
leaves no doubt about the file. Else it gets no line: a cost on a wrong line is worse than none.
"""

from __future__ import annotations

import ast
import stat
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from stepscope.timeline.kineto.paths import PathMap
from stepscope.timeline.model import Place

ASTRAY = "recorded:"
"""Before the recorded path of a place whose function is not in the file that is here. No view can
take that for a file."""

MAX_BYTES = 4_000_000
"""Of a source file; a larger one is nobody's handwriting."""

_NAMED = 3  # functions in a note

_COMPREHENSIONS: dict[type[ast.AST], str] = {
    ast.Lambda: "<lambda>",
    ast.ListComp: "<listcomp>",
    ast.SetComp: "<setcomp>",
    ast.DictComp: "<dictcomp>",
    ast.GeneratorExp: "<genexpr>",
}


def read_source(file: str) -> str | None:
    """The text of a file; None for what is gone, too large, relative, or no regular file.

    The name may come from a recording that somebody else made, so it is not opened before it is
    known to be a file: a device or a pipe would never end.
    """
    try:
        path = Path(file)
        if not path.is_absolute():
            return None  # a recorded path of another machine, not one of the current folder
        state = path.stat()
        if not stat.S_ISREG(state.st_mode) or state.st_size > MAX_BYTES:
            return None
        return path.read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError):  # a name with a zero byte is a ValueError
        return None


@dataclass(frozen=True, slots=True)
class _Function:
    """Lines of one function (or class body): ``first`` with decorators, ``end`` of the header."""

    first: int
    line: int
    end: int
    last: int


class LocalPlaces:
    """Finds recorded places in the files of this machine, and knows which it did not find."""

    def __init__(self, paths: PathMap) -> None:
        self._paths = paths
        self._functions: dict[str, dict[str, list[_Function]] | None] = {}
        self._astray: dict[str, dict[str, None]] = defaultdict(dict)

    def find(self, place: Place, *, executing: bool = False) -> Place:
        """The place here; as it was recorded where its file is not here.

        ``executing``: the line is one that ran, inside of the function, and is kept. Else it is
        the function's first one, and the line of its ``def`` is returned.
        """
        file = self._paths.resolve(place.file)
        functions = self._of_file(file)
        if functions is None:
            return place if file == place.file else Place(file, place.line, place.function)
        line = _line(functions, place, executing, certain=self._paths.certain(place.file))
        if line is not None:
            return Place(file, line, place.function)
        self._astray[file][place.function] = None
        return Place(ASTRAY + place.file, place.line, place.function)

    def notes(self) -> list[str]:
        """One sentence for each file in which something was not found."""
        found = []
        for file, names in sorted(self._astray.items()):
            named = ", ".join(list(names)[:_NAMED]) + (", ..." if len(names) > _NAMED else "")
            found.append(
                f"{file} has changed since the recording, or is another file: {named} "
                f"{'is' if len(names) == 1 else 'are'} not where the recording says, so what "
                f"{'it costs' if len(names) == 1 else 'they cost'} is on no line of it."
            )
        return found

    def _of_file(self, file: str) -> dict[str, list[_Function]] | None:
        """The functions of a file by name; None where there is no such file."""
        if file not in self._functions:
            text = read_source(file)
            self._functions[file] = None if text is None else functions_of(text)
        return self._functions[file]


def functions_of(text: str) -> dict[str, list[_Function]]:
    """Whatever runs in a frame of its own, by the name of its code; nothing if it does not parse.

    Every text has a ``<module>``.
    """
    lines = text.count("\n") + 1
    found: dict[str, list[_Function]] = defaultdict(list)
    found["<module>"].append(_Function(1, 1, 1, lines))
    try:
        tree = ast.parse(text.removeprefix("\ufeff"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return found
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            first = min([node.lineno, *(part.lineno for part in node.decorator_list)])
            end = max(node.lineno, node.body[0].lineno - 1)
            found[node.name].append(
                _Function(first, node.lineno, end, node.end_lineno or node.lineno)
            )
        elif type(node) in _COMPREHENSIONS and isinstance(node, ast.expr):
            last = node.end_lineno or node.lineno
            found[_COMPREHENSIONS[type(node)]].append(
                _Function(node.lineno, node.lineno, last, last)
            )
    return found


def _line(
    functions: dict[str, list[_Function]], place: Place, executing: bool, *, certain: bool
) -> int | None:
    candidates = functions.get(place.function.rpartition(".")[2], [])
    for function in candidates:
        if executing and function.first <= place.line <= function.last:
            return place.line
        if not executing and function.first <= place.line <= function.end:
            return function.line
    if executing or not certain or len(candidates) != 1:
        return None
    return candidates[0].line
