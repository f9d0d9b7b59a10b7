"""Which user line each operator belongs to.

An operator belongs to the user line that was running when it started. Inside a backward node it
belongs to the forward line of that node (told by autograd's sequence number and thread), unless
user code of its own runs there: a custom ``backward``, a hook, a forward recomputed under
checkpoint. AccumulateGrad has no forward operator; the engine runs it right after the node that
produced the gradient, so it shares that node's line.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass
from operator import add

from stepscope.attribution.recompute import recomputed
from stepscope.timeline.model import NOWHERE, Ops, Recording, Timeline, Track

_NODE_PREFIX = "autograd::engine::evaluate_function: "
_BACKWARD_SCOPE = 1
_DURATION_BITS = 40  # 18 minutes


@dataclass(slots=True)
class Owned:
    """Per operator (by index into ``ops``): structure and owner.

    ``order`` holds host operators by start, parents before children. ``parent`` is the enclosing
    operator, -1 without. ``place`` is the line that ran when it started, ``owner`` the line it
    belongs to (both place numbers or ``NOWHERE``), ``loop`` the line of the step's loop above
    ``place``. ``backward`` says that it ran as part of a backward pass, ``again`` that it repeats
    there an operator of the forward pass. ``cause`` is the operator at whose start the owner's line
    ran: the operator itself, or, for one of a backward pass, that of the forward pass.
    """

    order: list[int]
    parent: list[int]
    place: list[int]
    owner: list[int]
    loop: list[int]
    backward: list[bool]
    self_time: list[int]  # ns of the operator not spent in operators below it
    children: list[int]  # number of operators below it, one level
    again: bytearray
    cause: list[int]


def own(timeline: Timeline, recording: Recording) -> Owned:
    """Resolve every host operator of a recording."""
    ops = recording.ops
    assert ops is not None
    kind = timeline.kinds.index("op")
    order = _in_order(ops, [i for i in range(len(ops)) if ops.kind[i] == kind])
    count = len(ops)
    owned = Owned(
        order,
        [-1] * count,
        [NOWHERE] * count,
        [NOWHERE] * count,
        [NOWHERE] * count,
        [False] * count,
        [0] * count,
        [0] * count,
        bytearray(count),
        list(range(count)),
    )
    is_node = [text.startswith(_NODE_PREFIX) for text in timeline.strings]
    _nest(ops, owned)
    sequences = _node_sequences(ops, owned, is_node)
    _resolve(timeline, recording, ops, owned, is_node, sequences)
    owned.again = recomputed(timeline, recording, owned)
    return owned


def _in_order(ops: Ops, chosen: list[int]) -> list[int]:
    """By start; of operators that start together the longer one is the parent."""
    # One number per event: events mostly come in order, and comparing pairs takes twice as long.
    order = [
        (begin << _DURATION_BITS) - ns for begin, ns in zip(ops.start, ops.duration, strict=True)
    ]
    chosen.sort(key=order.__getitem__)
    return chosen


def _nest(ops: Ops, owned: Owned) -> None:
    start, duration, thread = ops.start, ops.duration, ops.thread
    end = list(map(add, start, duration))
    parent, children = owned.parent, owned.children
    self_time = owned.self_time = list(duration)
    stacks: dict[int, list[int]] = defaultdict(list)
    for i in owned.order:
        stack = stacks[thread[i]]
        begin = start[i]
        while stack and end[stack[-1]] <= begin:
            stack.pop()
        if stack:
            above = stack[-1]
            parent[i] = above
            children[above] += 1
            self_time[above] -= duration[i]
        stack.append(i)


def _node_sequences(ops: Ops, owned: Owned, is_node: list[bool]) -> dict[int, tuple[int, int]]:
    """(forward thread, sequence) of each backward node.

    With a hook on it the engine's event carries none, but the node's own event below it does.
    """
    found: dict[int, tuple[int, int]] = {}
    for i in owned.order:
        sequence = ops.sequence[i]
        if sequence < 0:
            continue
        if ops.scope[i] == _BACKWARD_SCOPE:
            key = (ops.forward_thread[i], sequence)
            found[i] = key
            above = owned.parent[i]
            if above >= 0 and is_node[ops.name[above]]:
                found.setdefault(above, key)
        elif is_node[ops.name[i]]:
            found[i] = (ops.forward_thread[i], sequence)
    return found


def _resolve(
    timeline: Timeline,
    recording: Recording,
    ops: Ops,
    owned: Owned,
    is_node: list[bool],
    sequences: dict[int, tuple[int, int]],
) -> None:
    tracks = recording.tracks
    step_track = tracks.get(timeline.step_thread, Track())
    starts, names, natives = ops.start, ops.name, ops.native
    forward = _Forward()
    last_node: dict[int, tuple[int, int]] = {}  # per thread: (owner, cause) of the last node
    inside: dict[int, tuple[int, int, int]] = {}  # operator -> its node's (owner, place, cause)
    for i in owned.order:
        thread = ops.thread[i]
        place = loop = NOWHERE
        track = tracks.get(natives[i])
        if track is not None and (segment := track.at(starts[i])) >= 0:
            place, loop = track.places[segment], track.loops[segment]
        above = owned.parent[i]
        node = inside.get(above) if above >= 0 else None
        backward = ops.scope[i] == _BACKWARD_SCOPE or is_node[names[i]]
        if backward and (node is None or i in sequences):
            # A device's backward thread runs no user line: the step waits for it in its own line.
            waiting = place
            if waiting == NOWHERE and (segment := step_track.at(starts[i])) >= 0:
                waiting, loop = step_track.places[segment], step_track.loops[segment]
            key = sequences.get(i)
            owner, cause = NOWHERE, -1
            if key is not None and (made_by := forward.operator(*key)) >= 0:
                owner, cause = owned.owner[made_by], owned.cause[made_by]
            if owner == NOWHERE and key is None:
                owner, cause = last_node.get(thread, (NOWHERE, -1))
            if owner == NOWHERE:
                owner, cause = waiting, i
            inside[i] = (owner, place if node is None else node[1], cause)
            last_node[thread] = (owner, cause)
        elif node is not None:
            inside[i] = node
            owner, _, cause = node
            if place not in (NOWHERE, node[1]):
                owner, cause = place, i
        else:
            owner, cause = place, i
        owned.cause[i] = cause
        owned.place[i], owned.owner[i], owned.loop[i] = place, owner, loop
        owned.backward[i] = i in inside
        if ops.sequence[i] >= 0 and not backward:
            forward.note(thread, ops.sequence[i], i)


class _Forward:
    """Which forward operator made a node, by the node's sequence number.

    An operator carries the next number at its start, and each node that it makes takes one; writing
    into a view makes several (``CopySlices``). So a node belongs to the last operator of its
    forward thread that started with a number not above its own.
    """

    def __init__(self) -> None:
        self._threads: dict[int, tuple[list[int], list[int]]] = {}

    def note(self, thread: int, sequence: int, operator: int) -> None:
        """A forward operator; on each thread numbers only rise."""
        numbers, operators = self._threads.setdefault(thread, ([], []))
        if numbers and sequence <= numbers[-1]:
            operators[-1] = operator
        else:
            numbers.append(sequence)
            operators.append(operator)

    def operator(self, thread: int, sequence: int) -> int:
        """The node's forward operator; -1 if that was before the recording."""
        numbers, operators = self._threads.get(thread, ([], []))
        index = bisect_right(numbers, sequence) - 1
        return operators[index] if index >= 0 else -1
