"""The marks in the corpus: what each planted line must be found to have done.

A line's comment names the operators that it starts, and the autograd nodes that they leave behind::

    y = x.sin()  # plant: aten::sin 7x13  # backward: SinBackward0

``aten::sin 7x13 *2``: two operators a step of that name whose first input has that shape, on this
line and on no other. Further shapes stand for further inputs, ``scalar`` for one without
dimensions; without shapes the name alone tells them. Without a number it is one a step; ``*any`` is
at least one in all. For a node the shapes are those of an operator that runs inside it.

``# steps: KIND`` heads the program, ``# loop`` is on the line of the loop whose passes are the
steps. Flags may follow the kind: ``varying`` steps differ from one another, ``recomputing`` runs a
forward again inside the backward pass, ``threads`` plants operators on other threads.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"

_HEAD = re.compile(r"^# steps: (\w+)((?:; \w+)*)$", re.MULTILINE)
_MARK = re.compile(r"# (plant|backward): ([^#]+)")
_PLANT = re.compile(r"^(\S+)((?: (?:\d+(?:x\d+)*|scalar))*)(?: \*(\d+|any))?$")

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Plant:
    """One planted operator or node. ``count`` per step, None for any number."""

    file: str
    line: int
    name: str
    shapes: tuple[Shape, ...]
    count: int | None

    def matches(self, name: str, shapes: tuple[Shape, ...]) -> bool:
        """Whether an operator of that name and those inputs is the planted one."""
        return name == self.name and shapes[: len(self.shapes)] == self.shapes

    def __str__(self) -> str:
        shapes = " ".join("x".join(map(str, shape)) or "scalar" for shape in self.shapes)
        return f"{Path(self.file).name}:{self.line} {self.name} {shapes}".rstrip()


@dataclass(frozen=True)
class Program:
    """One planted program: the file that is run and what its marks say."""

    path: Path
    kind: str
    flags: frozenset[str]
    loop: tuple[str, int] | None
    forward: tuple[Plant, ...]
    backward: tuple[Plant, ...]

    @property
    def name(self) -> str:
        """What the tests call it."""
        return str(self.path.relative_to(CORPUS).with_suffix(""))


def programs() -> list[Program]:
    """Every program of the corpus: single files, and folders with a ``train.py``."""
    found = [read_program(path, [path]) for path in sorted(CORPUS.glob("*.py"))]
    for path in sorted(CORPUS.glob("*/train.py")):
        found.append(read_program(path, sorted(path.parent.rglob("*.py"))))
    return found


def read_program(path: Path, files: list[Path]) -> Program:
    """Parse the marks of a program's files. Raises ``ValueError`` on a mark it cannot read."""
    head = _HEAD.search(path.read_text(encoding="utf-8"))
    if head is None:
        raise ValueError(f"{path} has no '# steps:' line")
    loops: list[tuple[str, int]] = []
    plants: dict[str, list[Plant]] = {"plant": [], "backward": []}
    for file in files:
        for number, text in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if text.endswith("# loop"):
                loops.append((str(file), number))
            for kind, marks in _MARK.findall(text):
                plants[kind].extend(_plant(file, number, mark) for mark in marks.split(";"))
    if len(loops) > 1:
        raise ValueError(f"{path} has {len(loops)} loops marked")
    return Program(
        path,
        head[1],
        frozenset(head[2].replace(";", " ").split()),
        loops[0] if loops else None,
        tuple(plants["plant"]),
        tuple(plants["backward"]),
    )


def _plant(file: Path, line: int, mark: str) -> Plant:
    parsed = _PLANT.match(mark.strip())
    if parsed is None:
        raise ValueError(f"{file}:{line}: cannot read the mark {mark.strip()!r}")
    name, shapes, count = parsed.groups()
    return Plant(
        str(file),
        line,
        name,
        tuple(() if s == "scalar" else tuple(map(int, s.split("x"))) for s in shapes.split()),
        None if count == "any" else int(count or 1),
    )
