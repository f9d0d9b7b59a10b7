"""``measure.py OUT PAIRS``: steps of two versions of programs in turns, in one process.

``PAIRS`` is a JSON object: name -> [path before, path after, steps in a block]. Written is, by
name, what a step took in each block of both versions (s), and their first losses. A block is of
many steps, since what the fixes are about happens only now and then, and begins with some that are
not counted: what was made ready while the other version ran would otherwise be for nothing.
"""

import gc
import json
import sys
import time
from pathlib import Path
from typing import Any

import torch

BLOCKS, LOSSES = 7, 5


class Version:
    """A program in the middle of its steps, with what it set for the whole process."""

    def __init__(self, path: str) -> None:
        torch.set_num_threads(1)
        gc.unfreeze()
        space: dict[str, Any] = {"__name__": "measured"}
        exec(compile(Path(path).read_text(encoding="utf-8"), path, "exec"), space)
        self._steps = space["steps"]()
        self.losses = [float(next(self._steps)) for _ in range(LOSSES)]
        self._threads = torch.get_num_threads()
        self._freezes = gc.get_freeze_count() > 0
        gc.unfreeze()

    def block(self, steps: int) -> float:
        """Seconds per step."""
        torch.set_num_threads(self._threads)
        if self._freezes:
            gc.freeze()
        for _ in range(steps // 4):
            next(self._steps)
        begun = time.perf_counter()
        for _ in range(steps):
            next(self._steps)
        took = time.perf_counter() - begun
        gc.unfreeze()
        return took / steps

    def close(self) -> None:
        """Its loader's workers end with it."""
        self._steps.close()


def measure(before: str, after: str, steps: int) -> dict[str, Any]:
    """Times and losses of both."""
    versions = [Version(before), Version(after)]
    times: list[list[float]] = [[], []]
    for _ in range(BLOCKS):
        for version, found in zip(versions, times, strict=True):
            found.append(version.block(steps))
    for version in versions:
        version.close()
    return {"times": times, "losses": [version.losses for version in versions]}


if __name__ == "__main__":
    _, out, pairs = sys.argv
    found = {name: measure(*pair) for name, pair in json.loads(pairs).items()}
    Path(out).write_text(json.dumps(found), encoding="utf-8")
