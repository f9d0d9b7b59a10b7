"""Which call launched a piece of device work, for which operator, on which line."""

from __future__ import annotations

from stepscope.attribution.owners import Owned
from stepscope.timeline.model import NOWHERE, Ops, Recording, Timeline

ON_DEVICE = frozenset(("kernel", "memcpy", "memset"))
"""Kinds of events that run on a device."""


class Launches:
    """Runtime calls and device work joined by their correlation, and the operators behind them."""

    def __init__(self, timeline: Timeline, recording: Recording, ops: Ops, owned: Owned) -> None:
        self._ops = ops
        self._owned = owned
        self._tracks = recording.tracks
        runtime = timeline.kinds.index("runtime")
        on_device = {timeline.kinds.index(kind) for kind in ON_DEVICE}
        self.calls = {ops.correlation[i]: i for i in range(len(ops)) if ops.kind[i] == runtime}
        self.launched = {ops.correlation[i] for i in range(len(ops)) if ops.kind[i] in on_device}
        self._operators = {ops.correlation[i]: i for i in owned.order}

    def operator(self, index: int) -> int:
        """The operator for which a call or a piece of device work was made; -1 without."""
        call = self.calls.get(self._ops.correlation[index], -1)
        linked = self._ops.linked[index] or (self._ops.linked[call] if call >= 0 else 0)
        return self._operators.get(linked, -1) if linked else -1

    def place(self, index: int, operator: int) -> int:
        """The line to which it belongs: the operator's, else that of the thread that called."""
        if operator >= 0:
            return self._owned.owner[operator]
        call = self.calls.get(self._ops.correlation[index], -1)
        if call < 0:
            return NOWHERE
        track = self._tracks.get(self._ops.native[call])
        return NOWHERE if track is None else track.place_at(self._ops.start[call])
