"""A torch.profiler trace of our own making: three steps of 10 ms on the CPU, with Python stacks.

Each step waits 5 ms for a DataLoader without workers, then computes 3 ms in ``forward`` and 1 ms in
``scale`` of another file; ``main`` is round all of it, ``gone`` (0.5 ms) is in no file any more.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

TRAIN = """\
from helper import scale


class Net:
    def forward(self, x):
        return scale(self.a(x))


def main(net, loader):
    for x in loader:
        net(x)
"""
HELPER = """\
def scale(x):
    return x * 2
"""
FORWARD_LINE, MAIN_LINE, SCALE_LINE = 5, 9, 1
LOADER = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
STEPS, STEP_US = 3, 10_000


def events(folder: str = "", moved: int = 0) -> list[dict[str, Any]]:
    """``folder``: what the recorded paths begin with; ``moved``: lines that were above then."""
    made: list[dict[str, Any]] = []

    def add(cat: str, name: str, ts: int, dur: int) -> None:
        made.append({"ph": "X", "cat": cat, "name": name, "pid": 7, "tid": 7, "ts": ts, "dur": dur})

    add("python_function", f"{folder}train.py({MAIN_LINE + moved}): main", 0, STEPS * STEP_US + 100)
    for number in range(STEPS):
        begin = number * STEP_US + 10
        add("user_annotation", f"ProfilerStep#{number}", begin, STEP_US)
        add("user_annotation", LOADER, begin + 100, 5_000)
        forward = begin + 5_200
        add("python_function", f"{folder}train.py({FORWARD_LINE + moved}): forward", forward, 4_200)
        add("cpu_op", "aten::linear", forward + 50, 3_000)
        add("python_function", f"{folder}helper.py({SCALE_LINE}): scale", forward + 3_100, 1_000)
        add("cpu_op", "aten::mul", forward + 3_110, 980)
        add("python_function", f"{folder}train.py({40 + moved}): gone", begin + 9_450, 500)
    return made


def write(path: Path, found: list[dict[str, Any]]) -> Path:
    """The trace as a file, gzipped if its name says so."""
    text = json.dumps({"schemaVersion": 1, "traceEvents": found}).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return path
