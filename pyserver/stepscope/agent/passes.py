"""The passes over the target's steps: warm up, time clean, then record. Driven by ticks."""

from __future__ import annotations

import contextlib
import gc
import itertools
import os
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from . import memory
from .capture import OP_COLUMNS, Window, new_table
from .channel import Channel
from .graphs import kept_graphs
from .hooks import Loaders, Models
from .limits import MAX_MOVES, Budget, Compiles
from .lineclock import CodeTable, LineClock, event_cost_ns, to_columns
from .plan import (
    MAX_WARMUP,
    MAX_WARMUP_SECONDS,
    TOGETHER_WARMUP,
    Plan,
    is_steady,
    plan_for,
    plan_together,
    plan_within,
)
from .profiler import Recording, Strings
from .target import StopTarget

_PASSES = ("clean", "lines", "mapped", "detail")
_PHASE = {"clean": "measuring", "lines": "capturing", "mapped": "capturing", "detail": "capturing"}
_WORDS = {"clean": "clean", "lines": "line", "mapped": "mapping", "detail": "memory"}
_PROGRESS_EVERY_NS = 200_000_000  # each costs the step what all other hooks cost


class Recorder:
    """Receives one tick per step and walks through the passes.

    ``finish(recorder)`` is called inside the last tick, on the step's own thread; it writes the
    capture and does not return (it stops the target).
    """

    def __init__(
        self,
        torch: Any,
        clock: LineClock,
        loaders: Loaders,
        models: Models,
        channel: Channel,
        wishes: dict[str, Any],
        aligned: Callable[[], bool],
        finish: Callable[[Recorder], None],
        note: Callable[[str], None],
    ) -> None:
        self.torch = torch
        self._clock = clock
        self._loaders = loaders
        self._models = models
        self._channel = channel
        self._wishes = wishes
        self._aligned = aligned
        self._finish = finish
        self.ticks_seen = 0
        self.warmup = 0
        self.windows: list[Window] = []
        self.clean_ns: list[int] = []
        self.cpu_at_end = 0.0  # processor seconds of the process when the latest pass ended
        self.thread: tuple[int, int] | None = None  # (ident, native id) of the step's thread
        self.device: Any = None
        self.plan: Plan | None = None
        self.strings, self.codes = Strings(), CodeTable()
        self._raw: list[tuple[Window, Any, Any]] = []
        self._kept: list[Recording] = []
        self._recording: Recording | None = None
        self._history: memory.AllocatorHistory | None = None
        self._cuda_events: list[Any] = []
        self._name: str | None = None
        self._last_progress = 0
        self.note = note
        # How many ranks on this machine record the same steps, 0 for a process on its own: then no
        # step may be added, left out or measured for a reason that only one of them has.
        self._together: int = wishes.get("together", 0)
        self._moves = 0
        self.restart()

    def restart(self) -> None:
        """What counts as a step has changed: everything so far was warm-up."""
        self._abandon()
        self.ticks_seen = 0
        self._durations: list[float] = []
        self._previous: int | None = None
        self._ticks: list[int] = []
        self._name = None
        self.plan = None
        self._rest = 0
        self.windows, self._raw, self.clean_ns = [], [], []

    def tick(self) -> None:
        """One step has just ended."""
        now = time.time_ns()
        me = threading.get_ident()
        if self.thread is None or self._name is None:
            self.thread = (me, threading.get_native_id())
        elif me != self.thread[0]:
            return  # a pass belongs to one thread; the other thread's steps are not its steps
        self.ticks_seen += 1
        if self._name is None:
            self._warm(now)
        elif self._rest:
            self._rest -= 1
            if not self._rest:
                self._next_pass()
        else:
            self._ticks.append(now)
            if self._name == "clean" and self._cuda_events:
                self._cuda_events.append(self._cuda_event())
            if self._name == "detail":
                self._note_owned(now)
                if len(self._ticks) == 2:
                    self._abandon_recording()
                    self._record(detail=True)
                    self._note_resident()
                    # What we have just done ourselves is no part of the step that begins here.
                    self._ticks[-1] = self._resident_at = time.time_ns()
            assert self.plan is not None
            wanted = self.plan.intervals(self._name)
            self._progress(_PHASE[self._name], len(self._ticks) - 1, wanted, now)
            if len(self._ticks) > wanted or self._must_cut():
                self.cpu_at_end = time.process_time()
                if self._together:
                    # Cut short here, this pass goes on in the other ranks.
                    self._rest = max(0, wanted + 1 - len(self._ticks))
                self._finish_pass()

    def _warm(self, now: int) -> None:
        if self._previous is not None:
            self._durations.append((now - self._previous) / 1e9)
        self._previous = now
        done = len(self._durations)
        limit = self._wishes.get("limit")
        if limit:
            found = plan_within(limit, self._aligned(), settles=bool(self._together))
            if found is None or done < found[0]:
                self._progress("warming up", done, found[0] if found else None, now)
                return
            self.plan = found[1]
        else:
            wished = self._wishes.get("warmup")
            if wished is None and self._together:
                wished = TOGETHER_WARMUP
            if wished is not None:
                ready = done >= wished
            else:
                long = sum(self._durations) > MAX_WARMUP_SECONDS and done >= 2
                ready = is_steady(self._durations) or done >= MAX_WARMUP or long
            self._progress("warming up", done, wished, now)
            if not ready:
                return
            typical = statistics.median(self._durations[-3:]) if self._durations else 0.1
            steps = self._wishes.get("steps")
            self.plan = (
                plan_together(steps)
                if self._together
                else plan_for(typical, steps, self._aligned())
            )
        self.plan = self.plan.without(self._wishes.get("without", ()))
        self.warmup = done
        self.device = find_device(self.torch, self._models)
        self._next_pass()

    def _next_pass(self) -> None:
        assert self.plan is not None
        index = 0 if self._name is None else _PASSES.index(self._name) + 1
        for name in _PASSES[index:]:
            if self.plan.intervals(name):
                self._begin_pass(name)
                return
        self._name = "done"
        self._finish(self)

    def _finish_pass(self) -> None:
        """The pass has its steps. One in which something was compiled begins anew."""
        name = self._name
        assert name is not None
        if not self._compiles.happened():
            self._moves = 0
        elif self._moves < MAX_MOVES and "limit" not in self._wishes and not self._together:
            self._moves += 1
            self._abandon()
            self._begin_pass(name)
            return
        else:
            self.note(
                "torch.compile went on compiling in the measured steps, so their times include it."
            )
        self._end_pass()
        if not self._rest:
            self._next_pass()

    def _must_cut(self) -> bool:
        """Whether this pass ends early, with the whole steps that it has."""
        assert self.plan is not None
        assert self._name is not None
        done = len(self._ticks) - 1
        least = 2 if self._name == "detail" else 1
        if self.plan.aligned and self._name != "clean":
            least += 1 + self.plan.settles_in(self._name)
        if done < least:
            return False
        reason = self._budget.reached(profiling=self._recording is not None)
        if reason is None:
            return False
        self.note(
            f"The {_WORDS[self._name]} pass was cut after {done} step{'s' if done > 1 else ''}, "
            f"because {reason}."
        )
        return True

    def check_budget(self) -> None:
        """Between two ticks: a single step may make more events than memory holds."""
        if self._recording is not None and self._budget.overdrawn():
            self._abandon()
            self._channel.send("too-big", bytes=int(self._budget.bytes))
            raise StopTarget

    def _begin_pass(self, name: str) -> None:
        assert self.plan is not None
        self._name = name
        self._compiles = Compiles()
        self._budget = Budget(
            wished=bool(self._wishes.get("steps") or self._together), sharing=self._together or 1
        )
        self._first_step = self.ticks_seen
        cuda = self.device.type == "cuda"
        self._progress(_PHASE[name], 0, self.plan.intervals(name), 0)
        self._loaders.recording = True
        if name == "detail":
            self._owned: list[dict[str, Any]] = []
            self._graphs: list[dict[str, Any]] = [kept_graphs(self.torch, 0)]
            self._note_owned(time.time_ns())
            if cuda:
                self.torch.cuda.reset_peak_memory_stats(self.device)
            self._history = memory.AllocatorHistory(self.torch, self.device)
        self.synchronize()
        if name == "clean":
            self._allocator_before = memory.allocator_counts(self.torch, self.device)
            self._cuda_events = [self._cuda_event()] if cuda else []
        else:
            self._event_ns = event_cost_ns(self._clock, self._wishes["root"])
            self._clock.start()
            if name == "mapped" and self.plan.profiled:
                self._record(detail=False)
            elif name == "detail":
                # The profiler tells the end of memory only if it saw the beginning. So one step is
                # watched for that alone, and its operators, which are dear, are not recorded.
                self._recording = Recording(self.torch, cuda, detail=True, operators=False)
        self._loaders.trace_workers(name == self.plan.last())
        self._ticks = [time.time_ns()]

    def _record(self, *, detail: bool) -> None:
        self._recording = Recording(self.torch, self.device.type == "cuda", detail)
        self._mark = _mark(self.torch)

    def _end_pass(self) -> None:
        name, end = self._name, time.time_ns()
        assert name is not None
        self.synchronize()
        if name == "clean":
            self.clean_ns = self._clean_durations()
            window = Window("clean", self._ticks[0], end, self._ticks)
            window.facts["first_step"] = self._first_step
            counts = [self._allocator_before, memory.allocator_counts(self.torch, self.device)]
            if all(counts):
                window.facts["allocator"] = counts
            self.windows.append(window)
            return
        mark = _mark(self.torch) if self._recording else None
        self._clock.stop()
        events, bounded = self._clock.events, dict(self._clock.bounded)
        recording, self._recording = self._recording, None
        facts: dict[str, Any] = {"event_ns": self._event_ns, "first_step": self._first_step}
        assert self.plan is not None
        if self.plan.settles_in(name):
            facts["settled_at"] = self._ticks[1]
        if recording is not None:
            recording.stop()
            facts["marks"] = [self._mark, mark]
        if name == "detail":
            self._graphs.append(kept_graphs(self.torch, len(self._ticks) - 1))
            facts.update(
                resident=self._resident,
                resident_at=self._resident_at,
                owned=self._owned,
                graphs=self._graphs,
                allocator=self._allocator(),
                history=self._history.stop() if self._history else [],
            )
        kind = "map" if name == "mapped" else name
        window = Window(kind, self._ticks[0], end, self._ticks, facts=facts)
        self.windows.append(window)
        self._raw.append((window, (events, bounded), recording))
        if name != "lines":
            self._collect()

    def _collect(self) -> None:
        """Turn what was recorded into columns, between passes: the detail pass times nothing."""
        with no_garbage_collection():
            for window, (events, bounded), recording in self._raw:
                window.tables["clock"] = to_columns(events, self.codes)
                window.facts["bounded"] = [
                    [self.codes.number(code), since] for code, since in bounded.items()
                ]
                if recording is not None:
                    window.tables["ops"] = recording.op_columns(self.strings)
                    if window.kind == "detail":
                        window.tables["memory"] = recording.memory_columns()
                    self._kept.append(recording)
                elif window.kind == "map":
                    window.tables["ops"] = new_table(OP_COLUMNS)
        self._raw = []

    def synchronize(self) -> None:
        """Wait for the device; nothing to do on the CPU."""
        if self.device is not None and self.device.type == "cuda":
            self.torch.cuda.synchronize(self.device)

    def _clean_durations(self) -> list[int]:
        if self._cuda_events:
            pairs = itertools.pairwise(self._cuda_events)
            return [int(first.elapsed_time(second) * 1e6) for first, second in pairs]
        return [b - a for a, b in itertools.pairwise(self._ticks)]

    def _cuda_event(self) -> Any:
        event = self.torch.cuda.Event(enable_timing=True)
        event.record(self.torch.cuda.current_stream(self.device))
        return event

    def _note_owned(self, now: int) -> None:
        owned: dict[str, Any] = memory.owned_addresses(
            list(self._models.optimizers), list(self._models.modules)
        )
        self._owned.append({"time": now, **owned})

    def _note_resident(self) -> None:
        """After one recorded step, what was allocated before is either long-lived or gone.

        The profiler does not report the end of memory that was allocated before it started (CPU),
        so the state is taken here, while the step's thread waits for us, and the steps that follow
        are examined.
        """
        self._resident = memory.resident_storages(self.torch, self.device)
        self._graphs.append(kept_graphs(self.torch, len(self._ticks) - 1))

    def _allocator(self) -> dict[str, int] | None:
        if self.device.type != "cuda":
            return None
        cuda = self.torch.cuda
        return {
            "peak": cuda.max_memory_allocated(self.device),
            "reserved": cuda.max_memory_reserved(self.device),
            "now": cuda.memory_allocated(self.device),
        }

    def _abandon(self) -> None:
        """Stop whatever records; its data is dropped."""
        self._clock.stop()
        if self._history is not None:
            self._history.stop()
            self._history = None
        self._abandon_recording()

    def _abandon_recording(self) -> None:
        if self._recording is not None:
            self._recording.stop()
        self._recording = None

    def _progress(self, phase: str, step: int, total: int | None, now: int) -> None:
        if now and now - self._last_progress < _PROGRESS_EVERY_NS:
            return
        self._last_progress = now
        self._channel.send("progress", phase=phase, step=step, total=total, **{"pass": self._name})


@contextlib.contextmanager
def no_garbage_collection() -> Iterator[None]:
    """Events are many objects that refer to nothing, and looking through them is slow."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _mark(torch: Any) -> list[int]:
    """An operator between two readings of our own clock: proof that both clocks agree."""
    before = time.time_ns()
    torch.empty(0)
    return [before, time.time_ns()]


def find_device(torch: Any, models: Models) -> Any:
    """Where the model lives: the device of the optimizers' or modules' first parameter."""
    for optimizer in list(models.optimizers):
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                if parameter.device.type == "cuda":
                    return parameter.device
    for module in list(models.modules):
        for parameter in module.parameters():
            if parameter.device.type == "cuda":
                return parameter.device
    return torch.device("cpu")


def processor_count() -> int:
    """Processors that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1
