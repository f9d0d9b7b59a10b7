"""Costs by line as speedscope's file format: weighted stacks, one profile per question.

The format: https://www.speedscope.app/file-format-schema.json. A stack is file, function, line and,
where it is told, operator; it is where something belongs, not who called whom.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

import stepscope
from stepscope.attribution.model import LineCost, OpCost, Profile
from stepscope.report.model import Report
from stepscope.report.source import split_lines

SCHEMA = "https://www.speedscope.app/file-format-schema.json"

Sample = tuple[list[int], float]
"""(frames, outermost first; weight)."""


def write_speedscope(report: Report, out: TextIO) -> None:
    """Write the file. What was not measured has no profile."""
    json.dump(speedscope(report), out)
    out.write("\n")


def speedscope(report: Report) -> dict[str, Any]:
    """The file as plain data."""
    profile = report.profile
    frames = _Frames(profile)
    profiles = []
    if profile.timed:
        profiles.append(_sampled("Cost per step", "milliseconds", _costs(profile, frames)))
        if profile.work_measured:
            for name, backward in (("Forward", False), ("Backward", True)):
                samples = _work(profile, frames, backward=backward)
                profiles.append(_sampled(f"{name} per step", "milliseconds", samples))
        profiles.append(_sampled("Host per step", "milliseconds", _hosts(profile, frames)))
    if profile.memory is not None:
        profiles.append(_sampled("Live at the peak", "bytes", _live(profile, frames)))
    return {
        "$schema": SCHEMA,
        "shared": {"frames": frames.all},
        "profiles": profiles,
        "name": Path(profile.run.target).name,
        "activeProfileIndex": 0,
        "exporter": f"stepscope {stepscope.__version__}",
    }


class _Frames:
    def __init__(self, profile: Profile) -> None:
        self.all: list[dict[str, Any]] = []
        self._numbers: dict[tuple[Any, ...], int] = {}
        self._sources = {file: split_lines(text) for file, text in profile.sources.items()}

    def stack(self, line: LineCost) -> list[int]:
        """File, function and line."""
        lines = self._sources.get(line.file, [])
        code = lines[line.line - 1].strip() if line.line <= len(lines) else ""
        name = f"line {line.line}: {code}" if code else f"line {line.line}"
        return [
            self._number(Path(line.file).name, line.file),
            self._number(line.function or "(no function)", line.file),
            self._number(name, line.file, line.line),
        ]

    def nowhere(self) -> list[int]:
        return [self._number("(no line)")]

    def operator(self, op: OpCost) -> int:
        return self._number(op.name)

    def _number(self, name: str, file: str | None = None, line: int | None = None) -> int:
        number = self._numbers.setdefault((name, file, line), len(self.all))
        if number == len(self.all):
            frame: dict[str, Any] = {"name": name}
            if file is not None:
                frame["file"] = file
            if line is not None:
                frame["line"] = line
            self.all.append(frame)
        return number


def _costs(profile: Profile, frames: _Frames) -> Iterator[Sample]:
    for line in profile.lines:
        yield frames.stack(line), line.cost_ms
    yield frames.nowhere(), profile.unattributed.cost_ms


def _hosts(profile: Profile, frames: _Frames) -> Iterator[Sample]:
    for line in profile.lines:
        yield frames.stack(line), line.host_ms
    yield frames.nowhere(), profile.unattributed.host_ms


def _work(profile: Profile, frames: _Frames, *, backward: bool) -> Iterator[Sample]:
    for line in profile.lines:
        whole = line.backward_ms if backward else line.forward_ms
        yield from _operators(frames, frames.stack(line), line.ops, whole, backward)
    # What has no line is not divided into passes; its operators are.
    rest = profile.unattributed
    of_pass = [op for op in rest.ops if op.backward == backward]
    whole = sum(op.work_ms for op in of_pass)
    yield from _operators(frames, frames.nowhere(), rest.ops, whole, backward)


def _operators(
    frames: _Frames, stack: list[int], ops: tuple[OpCost, ...], whole: float, backward: bool
) -> Iterator[Sample]:
    """The operators that are told, and what is left of ``whole`` on the line itself."""
    told = 0.0
    for op in ops:
        if op.backward == backward:
            told += op.work_ms
            yield [*stack, frames.operator(op)], op.work_ms
    yield stack, whole - told


def _live(profile: Profile, frames: _Frames) -> Iterator[Sample]:
    assert profile.memory is not None
    held = 0
    for line in profile.lines:
        live = line.live_at_peak_bytes or 0
        held += live
        yield frames.stack(line), live
    yield frames.nowhere(), profile.memory.peak_bytes - held


_LEAST = {"milliseconds": 1e-9, "bytes": 1}


def _sampled(name: str, unit: str, samples: Iterator[Sample]) -> dict[str, Any]:
    kept = [(stack, weight) for stack, weight in samples if weight >= _LEAST[unit]]
    return {
        "type": "sampled",
        "name": name,
        "unit": unit,
        "startValue": 0,
        "endValue": sum(weight for _, weight in kept),
        "samples": [stack for stack, _ in kept],
        "weights": [weight for _, weight in kept],
    }
