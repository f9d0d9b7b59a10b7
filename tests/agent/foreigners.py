"""The scripts in ``foreign``: what a person who reads one would say of it, and how it is run.

A script is a file, or a folder with one file that has a head. Its head::

    # steps: backward          what ends a step (a kind of ``agent.boundary``)
    # fails: no-step           how the run ends instead: kinds of failure, "|" between them
    # says: at least two       a piece of the failure's message or of the report's notes
    # args: --epochs 3         the script's arguments
    # existing: a.pt, b/c.txt  files that are there before, which must stay as they are
    # run as: o'neil.py        the name it gets for the run, where git should not carry it
    # cwd: .                   the folder it is started in; without it the script's own
    # process: child           whose steps the report shows; without it the main process's
    # needs: no-cuda           what it means holds only on a machine without such a GPU
    # flags: short late swallowed

``short``: it makes fewer steps than a measurement usually takes. ``late``: it takes more than a few
passes until it is clear what a step is. ``swallowed``: it catches whatever stops it, so it may go
on after we have our steps.

``# step loop`` is on the line of the loop whose passes a person would call steps, ``# fails here``
on the line that a failure is shown on. Scripts print ``pass`` and the time once in each step: that
is counted against the steps that were found.
"""

from __future__ import annotations

import re
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path

FOREIGN = Path(__file__).parent / "foreign"
EXISTING = b"what was here before\n"

_HEAD = re.compile(r"^# (steps|fails|says|args|existing|run as|cwd|process|needs|flags): (.+)$")
_LOOP, _FAILURE = "# step loop", "# fails here"


@dataclass(frozen=True)
class Foreigner:
    """One script and what is true of it. Paths are relative to its folder."""

    source: Path  # the file, or the folder
    main: str  # the file that is opened
    kind: str | None
    fails: tuple[str, ...]
    says: tuple[str, ...]
    args: tuple[str, ...]
    existing: tuple[str, ...]
    cwd: str | None
    process: str
    needs: tuple[str, ...]
    flags: frozenset[str]
    loop: tuple[str, int] | None
    failure: tuple[str, int] | None

    @property
    def name(self) -> str:
        """What the tests call it."""
        return self.source.stem

    def settle(self, folder: Path) -> None:
        """Make a fresh copy in ``folder``, with the files that are there before."""
        if self.source.is_dir():
            shutil.copytree(self.source, folder, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            target = folder / self.main
            target.parent.mkdir(parents=True)
            shutil.copyfile(self.source, target)
        for name in self.existing:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(EXISTING)


def foreigners() -> list[Foreigner]:
    """Every script, by name."""
    found = [_read(path, [path]) for path in sorted(FOREIGN.glob("*.py"))]
    for folder in sorted(path for path in FOREIGN.iterdir() if path.is_dir()):
        if folder.name != "__pycache__":
            found.append(_read(folder, sorted(folder.rglob("*.py"))))
    return found


def _read(source: Path, files: list[Path]) -> Foreigner:
    """Parse the head and the marks. Raises ``ValueError`` on a script that has none."""
    head: dict[str, list[str]] = {}
    main: str | None = None
    marked: dict[str, list[tuple[str, int]]] = {_LOOP: [], _FAILURE: []}
    for file in files:
        name = str(file.relative_to(source)) if source.is_dir() else file.name
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if (found := _HEAD.match(line)) is not None:
                head.setdefault(found[1], []).append(found[2])
                main = name
            for mark, places in marked.items():
                if line.endswith(mark):
                    places.append((name, number))
    if main is None or ("steps" in head) == ("fails" in head):
        raise ValueError(f"{source} must say either its steps or how it fails")
    if any(len(places) > 1 for places in marked.values()):
        raise ValueError(f"{source} marks two places where one is meant")
    renamed = head.get("run as", [main])[0]

    def only(key: str, default: str = "") -> str:
        return head.get(key, [default])[0]

    def place(mark: str) -> tuple[str, int] | None:
        return next(((renamed if n == main else n, line) for n, line in marked[mark]), None)

    return Foreigner(
        source,
        renamed,
        only("steps") or None,
        tuple(word.strip() for word in only("fails").split("|") if word),
        tuple(head.get("says", ())),
        tuple(shlex.split(only("args"))),
        tuple(word.strip() for word in only("existing").split(",") if word),
        head.get("cwd", [None])[0],
        only("process", "main"),
        tuple(only("needs").split()),
        frozenset(only("flags").split()),
        place(_LOOP),
        place(_FAILURE),
    )
