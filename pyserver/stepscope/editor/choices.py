"""Which loop of a file a person chose to profile, remembered across restarts.

Kept by the loop's own words (its function and its header), not by its line, so that a choice
survives edits elsewhere in the file.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from pathlib import Path
from typing import Any

from stepscope.editor.step_loops import StepLoop, all_loops
from stepscope.editor.store import file_key
from stepscope.editor.text import parse
from stepscope.report.source import split_lines

logger = logging.getLogger("stepscope")

_MAX_FILES = 500


def state_file() -> Path:
    """Where choices are kept: the system's folder for the state of programs."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    else:
        base = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(base) / "stepscope" / "loops.json"


class LoopChoices:
    """The chosen loop of each file. What cannot be read or written is forgotten, never fatal."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._known: dict[str, dict[str, Any]] | None = None

    def line(self, path: str, text: str) -> int | None:
        """The line of the chosen loop in ``text``; None without a choice or without that loop."""
        choice = self._read().get(file_key(path))
        if choice is None:
            return None
        same = [
            loop for loop in _loops(text) if _words(loop) == (choice["function"], choice["header"])
        ]
        nth = choice["nth"]
        return same[nth].line if nth < len(same) else None

    def choose(self, path: str, text: str, line: int | None) -> None:
        """Remember the loop at ``line``; None: leave it to the run again.

        Raises ValueError where there is no loop.
        """
        known = self._read()
        key = file_key(path)
        known.pop(key, None)
        if line is not None:
            loops = _loops(text)
            loop = next((loop for loop in loops if loop.line == line), None)
            if loop is None:
                raise ValueError(f"There is no loop at line {line} of {Path(path).name}.")
            same = [other for other in loops if _words(other) == _words(loop)]
            known[key] = {
                "function": loop.function,
                "header": loop.header,
                "nth": same.index(loop),
            }
        for oldest in list(known)[: max(0, len(known) - _MAX_FILES)]:
            del known[oldest]
        self._write(known)

    def _read(self) -> dict[str, dict[str, Any]]:
        if self._known is None:
            self._known = {}
            if self._file is not None:
                try:
                    told = json.loads(self._file.read_text(encoding="utf-8"))
                except (OSError, ValueError):
                    told = None
                if isinstance(told, dict):
                    self._known = {key: value for key, value in told.items() if _is_choice(value)}
        return self._known

    def _write(self, known: dict[str, dict[str, Any]]) -> None:
        if self._file is None:
            return
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            partial = self._file.with_suffix(".partial")
            partial.write_text(json.dumps(known), encoding="utf-8")
            partial.replace(self._file)
        except OSError:
            logger.warning("the chosen loop could not be remembered in %s", self._file)


def _loops(text: str) -> list[StepLoop]:
    tree = parse(text)
    return [] if tree is None else all_loops(tree, split_lines(text))


def _words(loop: StepLoop) -> tuple[str, str]:
    return loop.function, loop.header


def _is_choice(value: object) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("function"), str)
        and isinstance(value.get("header"), str)
        and isinstance(value.get("nth"), int)
        and value["nth"] >= 0
    )
