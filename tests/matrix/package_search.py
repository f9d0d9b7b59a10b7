"""Searches files of packages of models: ``python package_search.py SECONDS FILE...``.

As ``tests/agent/modelonly_search.py``, and with as many seconds for each file. torchvision is built
for one build of torch and registers native operators there. Where it meets another one, those that
its Python files name are declared here, without a body; what the files in question need of them is
their names.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import signal
import sys
from collections.abc import Iterator
from typing import Any

from tests.agent import modelonly_search

OPERATORS = ("nms", "qnms")
SIGNATURE = "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor"
kept: list[Any] = []
"""Declarations go with the object that made them."""


class TooLong(BaseException):
    """No ``Exception``, so that the search does not take it for the model's."""


def import_torchvision() -> str:
    """Import it, with its operators declared where they are missing; says which it was."""
    import torch

    try:
        importlib.import_module("torchvision")
    except RuntimeError as error:
        if "torchvision::" not in str(error):
            raise
        for name in [name for name in sys.modules if name.partition(".")[0] == "torchvision"]:
            del sys.modules[name]
        library = torch.library.Library("torchvision", "DEF")
        for operator in OPERATORS:
            library.define(operator + SIGNATURE)
        kept.append(library)
        importlib.import_module("torchvision")
        return f"operators only declared ({error})"
    return "operators loaded"


@contextlib.contextmanager
def limit(seconds: float) -> Iterator[None]:
    """Raise ``TooLong`` inside after so many seconds of this process's own work."""

    def stop(number: int, frame: object) -> None:
        raise TooLong

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def main(seconds: float, paths: list[str]) -> None:
    sys.stdout.write(f"\n!torchvision: {import_torchvision()}\n")
    for path in paths:
        try:
            with limit(seconds):
                answer = modelonly_search.search(path)
        except TooLong:
            answer = {"file": path, "found": None, "text": f"took longer than {seconds:g} s"}
        except Exception as error:
            answer = {"file": path, "found": None, "text": f"{type(error).__name__}: {error}"}
        sys.stdout.write("\n@" + json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(float(sys.argv[1]), sys.argv[2:])
