"""What single operators took, ms per step of the clean pass, with what is below them.

The ledgers add operators up by line and name. Some conditions are about operators among others: a
copy below a matrix product, a softmax between two products.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stepscope.attribution.attribute import Attributed
from stepscope.attribution.launches import ON_DEVICE
from stepscope.attribution.model import LineKey
from stepscope.timeline.from_capture import ordinary_steps
from stepscope.timeline.model import Ops

_BACKWARD_SCOPE = 1


@dataclass(slots=True)
class OpTimes:
    """Operators of whole, ordinary steps of the mapping pass.

    ``forward`` and ``backward`` hold indices by start, parents before children. All else is by
    index, with one entry more for "none", index -1: ``name[i]`` is the operator's name, empty for
    what is outside the steps; ``step[i]`` the step's number; ``line[i]`` its line, None where it
    has none, ``function[i]`` that line's function, ``parent[i]`` the operator around it.
    ``total[i]`` is what it took with everything below it: on the device, else on its thread.
    ``caused[i]`` is that of the backward nodes that it and what is below it made.
    """

    steps: int
    step_thread: int
    forward: list[int]
    backward: list[int]
    name: list[str]
    step: list[int]
    line: list[LineKey | None]
    function: list[str]
    parent: list[int]
    thread: Sequence[int]
    own: list[float]
    total: list[float]
    caused: list[float]

    def top_level(self) -> list[int]:
        """Forward operators of the step's thread that no other operator called."""
        name, parent, thread = self.name, self.parent, self.thread
        return [i for i in self.forward if thread[i] == self.step_thread and not name[parent[i]]]

    def both(self, i: int) -> float:
        """Forward and backward together."""
        return self.total[i] + self.caused[i]

    def root(self, i: int) -> int:
        """The outermost operator around ``i``, itself if there is none."""
        while self.name[self.parent[i]]:
            i = self.parent[i]
        return i


def op_times(attributed: Attributed) -> OpTimes | None:
    """None where no whole step was recorded."""
    return attributed.once("op_times", _op_times)


def _op_times(attributed: Attributed) -> OpTimes | None:
    recording, owned = attributed.mapped.recording, attributed.mapped.owned
    ledgers = attributed.ledgers
    timeline, ops = ledgers.timeline, recording.ops
    steps = ordinary_steps(recording.bounds)
    if ops is None or not steps:
        return None
    numbers = [-1] * (len(ops) + 1)
    inside = _inside(ops.start, owned.order, steps, numbers)
    device = ledgers.device is not None
    own = _device_time(attributed) if device else _thread_time(attributed, inside)
    keys: list[LineKey | None] = [(place.file, place.line) for place in timeline.places]
    functions = [place.function for place in timeline.places]
    keys.append(None)
    functions.append("")
    count = len(ops) + 1
    names: list[str] = [""] * count
    for i in inside:
        names[i] = timeline.strings[ops.name[i]]
    made = OpTimes(
        steps=len(steps),
        step_thread=timeline.step_thread,
        forward=[i for i in inside if not owned.backward[i]],
        backward=[i for i in inside if owned.backward[i]],
        name=names,
        step=numbers,
        line=[keys[place] for place in owned.owner],
        function=[functions[place] for place in owned.owner],
        parent=owned.parent,
        thread=ops.native,
        own=own,
        total=list(own),
        caused=[0.0] * count,
    )
    total, parent = made.total, owned.parent
    for i in reversed(inside):
        if names[parent[i]]:
            total[parent[i]] += total[i]
    _add_caused(ops, made)
    return made


def _inside(
    starts: Sequence[int], order: list[int], steps: list[tuple[int, int]], numbers: list[int]
) -> list[int]:
    """Operators that start in one of the steps; ``numbers`` gets which."""
    found: list[int] = []
    number = 0
    begin, end = steps[0]
    for i in order:
        while starts[i] >= end:
            number += 1
            if number == len(steps):
                return found
            begin, end = steps[number]
        if starts[i] >= begin:
            found.append(i)
            numbers[i] = number
    return found


def _thread_time(attributed: Attributed, inside: list[int]) -> list[float]:
    """Self time, scaled as the step as a whole is: the profiler lengthens it."""
    recording, owned = attributed.mapped.recording, attributed.mapped.owned
    span = sum(end - begin for begin, end in ordinary_steps(recording.bounds))
    scale = attributed.ledgers.step_ms.median / span if span else 0.0
    found = [0.0] * (len(owned.owner) + 1)
    for i in inside:
        if owned.self_time[i] > 0:
            found[i] = owned.self_time[i] * scale
    return found


def _device_time(attributed: Attributed) -> list[float]:
    """Durations of what each operator launched itself."""
    recording = attributed.mapped.recording
    ledgers = attributed.ledgers
    ops, kinds = recording.ops, ledgers.timeline.kinds
    assert ops is not None
    device_kinds = {kinds.index(word) for word in ON_DEVICE}
    launches = attributed.launches
    scale = 1e-6 / max(1, len(ordinary_steps(recording.bounds)))
    found = [0.0] * (len(ops) + 1)
    for i in range(len(ops)):
        if ops.kind[i] not in device_kinds:
            continue
        op = launches.operator(i)
        if op >= 0:
            found[op] += ops.duration[i] * scale
    return found


def _add_caused(ops: Ops, made: OpTimes) -> None:
    """Per forward operator, its backward nodes' time, by autograd's sequence number."""
    maker: dict[tuple[int, int], int] = {}
    for i in made.forward:
        if ops.sequence[i] >= 0:
            # An operator that makes no node leaves its number to the next one, or to one below it.
            maker[(ops.thread[i], ops.sequence[i])] = i
    caused, name, parent = made.caused, made.name, made.parent
    for i in made.backward:
        if ops.scope[i] == _BACKWARD_SCOPE and ops.sequence[i] >= 0:
            op = maker.get((ops.forward_thread[i], ops.sequence[i]))
            if op is not None:
                caused[op] += made.total[i]
    for i in reversed(made.forward):
        if caused[i] and name[parent[i]]:
            caused[parent[i]] += caused[i]
