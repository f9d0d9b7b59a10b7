"""The spans of one step, lane by lane.

What crosses an edge of the step is cut there, so that nothing is longer than the step. A device
runs behind its host: what it does in a step may have been launched in the step before, and is then
launched by nothing that is shown.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from heapq import heappop, heappush

from stepscope.attribution.attribute import Attributed
from stepscope.attribution.launches import ON_DEVICE
from stepscope.report.charts.model import NONE, Lane, Names
from stepscope.timeline.call_paths import OUTSIDE, CallPaths
from stepscope.timeline.communication import is_collective, is_collective_kernel
from stepscope.timeline.model import NOWHERE, Ops, Track

_COLLECTIVE_CALLS = "record_param_comms"


class Lanes:
    """Makes the lanes of the step from ``begin`` to ``end``."""

    def __init__(self, attributed: Attributed, names: Names, begin: int, end: int) -> None:
        self._run = attributed
        self._timeline = attributed.ledgers.timeline
        self._recording = attributed.mapped.recording
        self._owned = attributed.mapped.owned
        ops = self._recording.ops
        assert ops is not None
        self._ops: Ops = ops
        self._names = names
        self._begin, self._end = begin, end
        self._kinds = self._timeline.kinds
        self._text_of: dict[int, int] = {}
        self._streams = {number for number, kind in enumerate(self._kinds) if kind in ON_DEVICE}

    def all(self) -> list[Lane]:
        """From the person's lines down to the device."""
        events = self._inside()
        host = self._host(events)
        lanes = [*self._lines(), *host, *self._device(events, host), self._host_collectives(host)]
        lanes.append(self._marks(events))
        return [lane for lane in lanes if lane.start]

    # -- what is in the step ---------------------------------------------------------------------

    def _inside(self) -> list[int]:
        """Events that overlap the step."""
        begin, end = self._begin, self._end
        return [
            index
            for index, (start, ns) in enumerate(
                zip(self._ops.start, self._ops.duration, strict=True)
            )
            if start < end and start + ns > begin
        ]

    def _of_kinds(self, events: Iterable[int], *kinds: str) -> list[int]:
        wanted = {self._kinds.index(kind) for kind in kinds if kind in self._kinds}
        return [index for index in events if self._ops.kind[index] in wanted]

    def _span(self, index: int) -> tuple[int, int]:
        start = self._ops.start[index]
        stop = min(start + self._ops.duration[index], self._end)
        return max(start, self._begin) - self._begin, stop - self._begin

    def _name(self, index: int) -> int:
        name = self._ops.name[index]
        known = self._text_of.get(name)
        if known is None:
            known = self._text_of[name] = self._names.text(self._timeline.strings[name])
        return known

    def _thread(self, thread: int) -> str:
        return "the step's thread" if thread == self._timeline.step_thread else f"thread {thread}"

    # -- the host --------------------------------------------------------------------------------

    def _lines(self) -> list[Lane]:
        paths = self._recording.paths
        lanes = []
        for thread, track in self._threads(self._recording.tracks):
            lane = Lane("lines", f"Lines, {self._thread(thread)}", thread)
            if paths is None or not track.paths:
                _flat(lane, track, self._begin, self._end, self._names)
            else:
                _nested(lane, track, paths, self._begin, self._end, self._names)
            lanes.append(lane)
        return lanes

    def _threads(self, by_thread: dict[int, Track]) -> list[tuple[int, Track]]:
        """The step's own thread first."""
        first = self._timeline.step_thread
        return sorted(by_thread.items(), key=lambda item: (item[0] != first, item[0]))

    def _host(self, events: list[int]) -> list[Lane]:
        by_thread: dict[int, list[int]] = defaultdict(list)
        for index in self._of_kinds(events, "op", "runtime"):
            by_thread[self._ops.native[index]].append(index)
        lanes = []
        step = self._timeline.step_thread
        for thread in sorted(by_thread, key=lambda number: (number != step, number)):
            lane = Lane("host", f"Operators, {self._thread(thread)}", thread)
            self._nest(lane, by_thread[thread], self._host_place)
            lanes.append(lane)
        return lanes

    def _host_place(self, index: int) -> int:
        if self._kinds[self._ops.kind[index]] == "op":
            return self._owned.owner[index]
        launches = self._run.launches
        return launches.place(index, launches.operator(index))

    def _nest(self, lane: Lane, events: list[int], place_of: Callable[[int], int]) -> None:
        start, duration = self._ops.start, self._ops.duration
        events.sort(key=lambda index: (start[index], -duration[index]))
        above: list[int] = []  # ends of the spans that are open
        for index in events:
            while above and above[-1] <= start[index]:
                above.pop()
            begin, end = self._span(index)
            place = self._names.place(place_of(index))
            lane.add(begin, end, len(above), self._name(index), place, index)
            above.append(start[index] + duration[index])

    def _host_collectives(self, host: list[Lane]) -> Lane:
        """Collectives as the host calls them; a device's own stand in its lanes."""
        lane = Lane("communication", "Communication, host")
        strings, ops = self._timeline.strings, self._ops
        until: dict[int, int] = {}
        for row, one in enumerate(host):
            for span, index in enumerate(one.event):
                name = strings[ops.name[index]]
                inside = one.start[span] < until.get(row, 0)
                if not inside and (is_collective(name) or name == _COLLECTIVE_CALLS):
                    until[row] = one.end[span]
                    lane.add(
                        one.start[span], one.end[span], row, one.name[span], one.place[span], index
                    )
        return lane

    def _marks(self, events: list[int]) -> Lane:
        """What somebody marked (``record_function``), waits that the profiler tells, fetches."""
        lane = Lane("marks", "Marks")
        marked = self._of_kinds(events, "annotation", "overhead")
        named = [index for index in marked if self._ops.device[index] < 0]
        fetches = self._timeline.fetches
        loading = self._names.text("DataLoader.__next__")
        spans = [(*self._span(index), self._name(index), index) for index in named]
        for start, end in zip(fetches.start, fetches.end, strict=True):
            if start < self._end and end > self._begin:
                begins = max(start, self._begin) - self._begin
                spans.append((begins, min(end, self._end) - self._begin, loading, NONE))
        spans.sort(key=lambda span: (span[0], -span[1]))
        _stacked(lane, [(*span[:3], NONE, span[3]) for span in spans])
        return lane

    # -- the device ------------------------------------------------------------------------------

    def _device(self, events: list[int], host: list[Lane]) -> list[Lane]:
        groups: dict[tuple[int, str, int], list[int]] = defaultdict(list)
        strings = self._timeline.strings
        for index in self._of_kinds(events, *ON_DEVICE):
            kind = self._kinds[self._ops.kind[index]]
            device = self._ops.device[index]
            if kind != "kernel":
                groups[(device, "copies", 0)].append(index)
            elif is_collective_kernel(strings[self._ops.name[index]]):
                groups[(device, "communication", 0)].append(index)
            else:
                groups[(device, "stream", self._ops.thread[index])].append(index)
        order = {"stream": 0, "copies": 1, "communication": 2}
        return [
            self._device_lane(key, groups[key], host)
            for key in sorted(groups, key=lambda key: (key[0], order[key[1]], key[2]))
        ]

    def _device_lane(self, key: tuple[int, str, int], events: list[int], host: list[Lane]) -> Lane:
        device, kind, stream = key
        what = f"Stream {stream}" if kind == "stream" else kind.capitalize()
        lane = Lane(kind, f"{what}, GPU {device}", device=device)
        launches, ops = self._run.launches, self._ops
        events.sort(key=lambda index: (ops.start[index], -ops.duration[index]))
        rows = []
        for index in events:
            operator = launches.operator(index)
            place = self._names.place(launches.place(index, operator))
            rows.append((*self._span(index), self._name(index), place, index))
        _stacked(lane, rows)
        threads: Counter[int] = Counter()
        for index in events:
            call = launches.call(index)
            by = call if call >= 0 else launches.operator(index)
            lane.launch.append(by)
            if by >= 0:
                threads[ops.native[by]] += 1
        # Links lead into one lane of the host: that of the thread which launched most of it.
        shown = {one.thread for one in host}
        lane.thread = next((thread for thread, _ in threads.most_common() if thread in shown), None)
        return lane


def _stacked(lane: Lane, spans: list[tuple[int, int, int, int, int]]) -> None:
    """Add (start, end, name, place, event), by start; those that meet, one below the other."""
    taken: list[tuple[int, int]] = []  # heap of (end, row)
    free: list[int] = []  # heap of rows, the highest on the screen first
    for start, end, name, place, event in spans:
        while taken and taken[0][0] <= start:
            heappush(free, heappop(taken)[1])
        row = heappop(free) if free else len(taken)
        heappush(taken, (end, row))
        lane.add(start, end, row, name, place, event)


def _flat(lane: Lane, track: Track, begin: int, end: int, names: Names) -> None:
    """A span for each stretch of one line."""
    open_since, here = begin, NOWHERE
    first = max(0, track.at(begin))
    last = bisect_left(track.starts, end)
    for row in range(first, last + 1):
        place = track.places[row] if row < last else NOWHERE
        time = max(begin, track.starts[row]) if row < last else end
        if place == here and row < last:
            continue
        if here != NOWHERE and time > open_since:
            lane.add(open_since - begin, time - begin, 0, names.line(here), names.place(here))
        open_since, here = time, place


def _nested(lane: Lane, track: Track, paths: CallPaths, begin: int, end: int, names: Names) -> None:
    """A span for each stretch of one line of one frame, with what it called below it."""
    first = max(0, bisect_right(track.starts, begin) - 1)
    last = bisect_left(track.starts, end)
    stack: list[tuple[int, int]] = []  # (path, span in the lane), outermost first
    for row in range(first, last + 1):
        time = max(begin, track.starts[row]) if row < last else end
        path = track.paths[row] if row < last else OUTSIDE
        running: list[int] = []
        at = path
        # Up to where the two stacks meet; a frame's depth is what its path says.
        open_paths = {known for known, _ in stack}
        while at != OUTSIDE and at not in open_paths:
            running.append(at)
            at = paths.parent[at]
        while stack and stack[-1][0] != at:
            lane.end[stack.pop()[1]] = time - begin
        for number in reversed(running):
            place = paths.place[number]
            stack.append((number, len(lane.start)))
            lane.add(time - begin, 0, len(stack) - 1, names.line(place), names.place(place))
    lane.keep([span for span, until in enumerate(lane.end) if until > lane.start[span]])
