"""Runs the steps of two versions of a program in turns; prints their times (s) and losses."""

import json
import sys
import time
from pathlib import Path
from typing import Any

import torch

ROUNDS, LOSSES = 30, 5


def load(path: str) -> tuple[Any, bool]:
    """The program's step, and whether it switches anomaly mode on."""
    torch.autograd.set_detect_anomaly(False)
    space: dict[str, Any] = {"__name__": "measured"}
    exec(compile(Path(path).read_text(encoding="utf-8"), path, "exec"), space)
    return space["step"], torch.is_anomaly_enabled()


def run(pair: list[str]) -> dict[str, list[float]]:
    """Seconds and losses of both versions."""
    versions = {word: load(path) for word, path in zip(("before", "after"), pair, strict=True)}
    found: dict[str, list[float]] = {
        f"{word}_{what}": [] for word in versions for what in ("s", "loss")
    }
    for number in range(ROUNDS):
        for word, (step, anomaly) in versions.items():
            torch.autograd.set_detect_anomaly(anomaly)  # is the process's, not the program's
            begun = time.perf_counter()
            loss = step()
            found[f"{word}_s"].append(time.perf_counter() - begun)
            if number < LOSSES:
                found[f"{word}_loss"].append(float(loss))
    return found


torch.set_num_threads(1)
print(json.dumps({rule: run(pair) for rule, pair in json.loads(sys.argv[1]).items()}))
