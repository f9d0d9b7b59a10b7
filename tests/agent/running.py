"""Runs of real targets through the real session, and what their recordings hold."""

from __future__ import annotations

import ast
import dataclasses
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from stepscope.attribution.attribute import attribute
from stepscope.attribution.model import Profile
from stepscope.attribution.owners import own
from stepscope.session.model import CancelToken, ProfileRequest, Progress
from stepscope.session.run import captured
from stepscope.timeline.from_capture import load_timeline
from stepscope.timeline.model import NOWHERE, Recording, Timeline
from tests.agent.planting import Shape

NODE = "autograd::engine::evaluate_function: "


@dataclass
class Op:
    """One host operator, and the line that it was given to. ``step`` is None outside whole steps.

    ``below`` are the operators that ran inside it on the same thread, at any depth.
    """

    name: str
    shapes: tuple[Shape, ...]
    step: int | None
    owner: tuple[str, int] | None
    backward: bool
    on_step_thread: bool
    self_ns: int
    below: list[Op] = field(default_factory=list)

    def __str__(self) -> str:
        line = "no line" if self.owner is None else f"{Path(self.owner[0]).name}:{self.owner[1]}"
        return f"{self.name} {list(self.shapes)} step {self.step} on {line}"


@dataclass
class Run:
    """One run: its timeline, its profile, and the operators of its two recordings."""

    timeline: Timeline
    profile: Profile
    progress: list[Progress]
    output: bytes
    ops: dict[str, list[Op]]

    def recording(self, kind: str) -> Recording:
        """The recording of that kind, which this run must have."""
        found = self.timeline.recording(kind)
        assert found is not None, f"the run has no recording {kind!r}"
        return found

    def inside(self, kind: str) -> list[Op]:
        """The operators of whole steps."""
        return [op for op in self.ops[kind] if op.step is not None]


def run(request: ProfileRequest) -> Run:
    """Profile a target to the end; its processes are gone afterwards. Raises ``Failure``."""
    progress: list[Progress] = []
    output: list[bytes] = []
    with captured(request, progress.append, output.append, CancelToken()) as capture:
        timeline = load_timeline(capture)
    profile = attribute(timeline).profile
    ops = {
        recording.kind: _operators(timeline, recording)
        for recording in timeline.recordings
        if recording.ops is not None
    }
    return Run(timeline, profile, progress, b"".join(output), ops)


def quick(target: Path, **fields: object) -> ProfileRequest:
    """A request with few steps and a time limit that no healthy run comes near."""
    request = ProfileRequest(target, steps=3, warmup=2, timeout_s=120.0)
    return dataclasses.replace(request, **fields)  # type: ignore[arg-type]


def table(ops: list[Op]) -> Counter[tuple[str, tuple[str, int] | None, bool]]:
    """How often each operator was given to each line."""
    return Counter((op.name, op.owner, op.backward) for op in ops)


def _operators(timeline: Timeline, recording: Recording) -> list[Op]:
    """Nested here once more, by time alone, so that the tests do not lean on what they test."""
    ops = recording.ops
    assert ops is not None
    owned = own(timeline, recording)
    steps = list(zip(recording.bounds, recording.bounds[1:], strict=False))
    found: list[Op] = []
    stacks: dict[int, list[tuple[int, Op]]] = {}
    operator = timeline.kinds.index("op")
    chosen = [i for i in range(len(ops)) if ops.kind[i] == operator]
    chosen.sort(key=lambda i: (ops.start[i], -ops.duration[i]))
    for i in chosen:
        begin = ops.start[i]
        owner = owned.owner[i]
        place = None if owner == NOWHERE else timeline.places[owner]
        op = Op(
            timeline.strings[ops.name[i]],
            _shapes(timeline.strings[ops.inputs[i]]) if ops.inputs[i] >= 0 else (),
            next((n for n, (first, last) in enumerate(steps) if first <= begin < last), None),
            None if place is None else (place.file, place.line),
            owned.backward[i],
            ops.native[i] == timeline.step_thread,
            owned.self_time[i],
        )
        stack = stacks.setdefault(ops.native[i], [])
        while stack and stack[-1][0] <= begin:
            stack.pop()
        for _, above in stack:
            above.below.append(op)
        stack.append((begin + ops.duration[i], op))
        found.append(op)
    return found


def _shapes(inputs: str) -> tuple[Shape, ...]:
    """``[[32, 64], []]|float,Scalar`` -> ((32, 64), ()). A list of tensors counts as its first."""
    shapes = []
    for shape in ast.literal_eval(inputs.split("|")[0]):
        while shape and isinstance(shape[0], list):
            shape = shape[0]
        shapes.append(tuple(shape))
    return tuple(shapes)
