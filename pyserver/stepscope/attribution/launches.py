"""Which call launched a piece of device work, for which operator, on which line."""

from __future__ import annotations

from stepscope.attribution.owners import Owned
from stepscope.timeline.model import NOWHERE, Recording, Timeline

ON_DEVICE = frozenset(("kernel", "memcpy", "memset"))
"""Kinds of events that run on a device."""


class Launches:
    """Runtime calls and device work joined by their correlation, and the operators behind them."""

    def __init__(self, timeline: Timeline, recording: Recording, owned: Owned) -> None:
        ops = recording.ops
        assert ops is not None
        self._ops = ops
        self._owned = owned
        self._tracks = recording.tracks
        runtime = timeline.kinds.index("runtime")
        on_device = {timeline.kinds.index(kind) for kind in ON_DEVICE}
        self.calls = {ops.correlation[i]: i for i in range(len(ops)) if ops.kind[i] == runtime}
        self.launched = {ops.correlation[i] for i in range(len(ops)) if ops.kind[i] in on_device}
        self._operators = {ops.correlation[i]: i for i in owned.order}

    def call(self, index: int) -> int:
        """The runtime call that launched a piece of device work; -1 where none was recorded."""
        return self.calls.get(self._ops.correlation[index], -1)

    def operator(self, index: int) -> int:
        """The operator for which a call or a piece of device work was made; -1 without."""
        linked = self._ops.linked[index]
        if not linked:
            call = self.call(index)
            linked = self._ops.linked[call] if call >= 0 else 0
        return self._operators.get(linked, -1) if linked else -1

    def place(self, index: int, operator: int) -> int:
        """The line to which it belongs: the operator's, else that of the thread that called."""
        if operator >= 0:
            return self._owned.owner[operator]
        call = self.call(index)
        if call < 0:
            return NOWHERE
        track = self._tracks.get(self._ops.native[call])
        return NOWHERE if track is None else track.place_at(self._ops.start[call])
