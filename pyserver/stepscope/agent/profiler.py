"""The only file that names torch's profiler: a recording over some steps, read as columns.

The low-level calls are used because ``torch.profiler.profile`` builds Python events (10 s for 100k)
on some versions. Its stacks are not asked for: they never hold the executing line.
"""

from __future__ import annotations

import threading
from array import array
from itertools import compress
from typing import Any

from .capture import EVENT_KINDS, MEMORY_COLUMNS, OP_COLUMNS, new_table
from .memory import signed

_OP, _ANNOTATION, _RUNTIME, _KERNEL, _MEMCPY, _MEMSET, _SYNC, _OVERHEAD = range(len(EVENT_KINDS))
_ON_DEVICE = frozenset((_KERNEL, _MEMCPY, _MEMSET, _SYNC))
_ACTIVITIES = {
    "cpu_op": _OP, "user_annotation": _ANNOTATION, "gpu_user_annotation": _ANNOTATION,
    "cuda_runtime": _RUNTIME, "cuda_driver": _RUNTIME, "kernel": _KERNEL, "gpu_memcpy": _MEMCPY,
    "gpu_memset": _MEMSET, "cuda_sync": _SYNC,
}  # fmt: skip
_RUNTIMES = ("cuda", "hip", "cuLaunch", "cuMem", "cuStream")
_PROFILERS_OWN = frozenset(
    ("Activity Buffer Request", "Command Buffer Full", "Instrumentation", "Resource",
     "Lazy Function Loading", "Runtime Triggered Module Loading")
)  # fmt: skip
_USER_SCOPE = 7
_MEMORY_EVENT = "[memory]"
_CONVOLUTIONS = ("aten::convolution", "aten::convolution_backward")


class Strings:
    """Numbers strings in order of first use."""

    def __init__(self) -> None:
        self.all: list[str] = []
        self._index: dict[str, int] = {}

    def number(self, text: str) -> int:
        """The string's number."""
        number = self._index.get(text)
        if number is None:
            number = self._index[text] = len(self.all)
            self.all.append(text)
        return number


class Recording:
    """One profiler window. Start and stop on the same thread; nothing may nest in it.

    It is better kept than let go: freeing its events takes as long as reading them.
    """

    def __init__(self, torch: Any, cuda: bool, detail: bool, operators: bool = True) -> None:
        autograd = torch.autograd
        kinds = autograd.ProfilerActivity
        # Nothing at all may not be asked for; on a device that is not there nothing is recorded.
        activities = {kinds.CPU if operators else getattr(kinds, "XPU", kinds.CPU)}
        if cuda and operators:
            activities.add(kinds.CUDA)
        self._torch = torch
        self._cuda = cuda
        self._detail = detail
        config = autograd.ProfilerConfig(
            autograd.ProfilerState.KINETO,
            detail,  # shapes
            detail,  # memory
            False,  # stacks
            False,  # FLOPs: ours are told from the shapes
            False,  # modules
            # Recording all threads loses the memory events (torch 2.13): one or the other.
            _experimental(torch, all_threads=not detail),
        )
        autograd._prepare_profiler(config, activities)
        autograd._enable_profiler(config, activities)
        self._thread = threading.get_ident()
        self._result: Any = None
        self._events: list[Any] = []

    def stop(self) -> None:
        """End the recording; the events can be read later, off the measured path.

        A recording of one thread's own events knows only that thread: elsewhere there is nothing to
        stop, and torch would complain on the user's terminal.
        """
        if self._detail and threading.get_ident() != self._thread:
            return
        self._result = self._torch.autograd._disable_profiler()

    def op_columns(self, strings: Strings) -> dict[str, array[Any]]:
        """Every host and device event, in ``OP_COLUMNS``.

        A getter mapped over all events costs a third of a loop over them: a run has 100k and more.
        """
        events = self._events = self._result.events()
        if not events:
            return new_table(OP_COLUMNS)
        get = type(events[0])
        names = list(map(get.name, events))
        wanted = [name != _MEMORY_EVENT for name in names]
        events = list(compress(events, wanted))
        numbers = list(map(strings.number, compress(names, wanted)))
        scopes = list(map(get.scope, events))
        kinds = self._kinds(get, events, scopes)
        threads = list(map(get.start_thread_id, events))
        nothing = bytes(8 * len(events))  # without a device no event is linked to another
        columns: dict[str, Any] = {
            "name": numbers,
            "start": map(get.start_ns, events),
            "duration": map(get.duration_ns, events),
            "thread": threads,
            "native": self._natives(get, events, threads),
            "sequence": map(get.sequence_nr, events),
            "forward_thread": map(get.fwd_thread_id, events),
            "scope": scopes,
            "kind": kinds,
            "device": [-1] * len(events),
            "correlation": map(get.correlation_id, events) if self._cuda else nothing,
            "linked": map(get.linked_correlation_id, events) if self._cuda else nothing,
            "inputs": self._inputs(strings, events, numbers, kinds),
        }
        table = {name: array(code, columns[name]) for name, code in OP_COLUMNS.items()}
        if self._cuda:
            for row, (event, kind) in enumerate(zip(events, kinds, strict=True)):
                if kind in _ON_DEVICE:
                    table["thread"][row] = event.device_resource_id()
                    table["device"][row] = event.device_index()
        return table

    def _natives(self, get: Any, events: list[Any], threads: list[int]) -> Any:
        """The system's id of each event's thread, or the stream of a device event."""
        if self._cuda:
            return map(get.device_resource_id, events)
        first = dict(zip(reversed(threads), reversed(events), strict=True))
        natives = {thread: event.device_resource_id() for thread, event in first.items()}
        return map(natives.__getitem__, threads)

    def _kinds(self, get: Any, events: list[Any], scopes: list[int]) -> list[int]:
        """``EVENT_KINDS`` of each event."""
        if not self._cuda:
            return [_ANNOTATION if scope == _USER_SCOPE else _OP for scope in scopes]
        if hasattr(get, "activity_type"):
            # Unknown activities are Kineto's own affairs, and no work of the target.
            return [
                _ANNOTATION if scope == _USER_SCOPE else _ACTIVITIES.get(word, _OVERHEAD)
                for word, scope in zip(map(get.activity_type, events), scopes, strict=True)
            ]
        host = self._torch.autograd.DeviceType.CPU
        annotations = {event.name() for event in events if event.scope() == _USER_SCOPE}
        return [
            _host_kind(event)
            if event.device_type() == host
            else _device_kind(event.name(), annotations)
            for event in events
        ]

    def _inputs(
        self, strings: Strings, events: list[Any], names: list[int], kinds: list[int]
    ) -> list[int]:
        """Numbers of the texts that say what each operator was given; nodes of a graph: nothing."""
        if not self._detail:
            return [-1] * len(events)
        number = strings.number
        schemas = schema_kinds(self._torch, strings.all)
        told = [text in schemas for text in strings.all]
        return [
            number(_inputs(event)) if kind == _OP and told[name] else -1
            for event, name, kind in zip(events, names, kinds, strict=True)
        ]

    def memory_columns(self) -> dict[str, array[Any]]:
        """Allocations and frees with their addresses, in time order."""
        allocation = self._torch._C._profiler._EventType.Allocation
        rows = []
        stack = list(self._result.experimental_event_tree())
        while stack:
            node = stack.pop()
            if node.tag == allocation:
                extra = node.extra_fields
                device = extra.device
                index = -1 if device.type == "cpu" else (device.index or 0)
                address = signed(extra.ptr or 0)
                rows.append((node.start_time_ns, address, extra.alloc_size, node.start_tid, index))
            else:
                stack.extend(node.children)
        rows.sort(key=lambda row: row[0])
        columns = zip(*rows, strict=True) if rows else [()] * len(MEMORY_COLUMNS)
        return {
            name: array(code, column)
            for (name, code), column in zip(MEMORY_COLUMNS.items(), columns, strict=True)
        }


def _experimental(torch: Any, all_threads: bool) -> Any:
    """All threads, and explicit CUDA synchronisation events, where this torch can record them."""
    config = torch._C._profiler._ExperimentalConfig
    for options in (
        {"profile_all_threads": all_threads, "enable_cuda_sync_events": True},
        {"enable_cuda_sync_events": True},
        {},
    ):
        try:
            return config(**options)
        except TypeError:
            continue
    raise RuntimeError("this torch has no profiler configuration that we know")


def _host_kind(event: Any) -> int:
    """Of a host event, where this torch does not name activities."""
    if event.scope() == _USER_SCOPE:
        return _ANNOTATION
    # Runtime and driver calls carry the operator they were made for; operators carry none.
    if event.linked_correlation_id() > 0 or event.name().startswith(_RUNTIMES):
        return _RUNTIME
    return _OVERHEAD if event.name() in _PROFILERS_OWN else _OP


def _device_kind(name: str, annotations: set[str]) -> int:
    """Of a device event, where this torch does not name activities.

    The profiler shows each of the host's annotations on the device too, around its kernels.
    """
    if name in annotations:
        return _ANNOTATION
    if name.startswith("Memcpy"):
        return _MEMCPY
    if name.startswith("Memset"):
        return _MEMSET
    if name.endswith("Sync") or name.startswith("Stream Wait"):
        return _SYNC
    return _KERNEL


def _inputs(event: Any) -> str:
    """Shapes and dtypes as one compact text, ``[[32, 64], []]|float,Scalar``.

    The values of a convolution's other arguments follow: without them its work cannot be told.
    """
    text = f"{event.shapes()}|{','.join(event.dtypes())}"
    return f"{text}|{event.concrete_inputs()}" if event.name() in _CONVOLUTIONS else text


def schema_kinds(torch: Any, names: list[str]) -> dict[str, str]:
    """What each operator does with memory, from its schema: "view", "inplace" or "new"."""
    kinds = {}
    lookup = torch._C._jit_get_schemas_for_operator
    for name in names:
        if "::" not in name or name.startswith("autograd::"):
            continue
        schemas = lookup(name)
        if not schemas:
            continue
        kind = "new"
        for schema in schemas:
            if "out" in schema.overload_name:
                continue  # the variant that writes into a given tensor is another call
            if any(a.alias_info is not None and a.alias_info.is_write for a in schema.arguments):
                kind = "inplace"
                break
            if any(r.alias_info is not None for r in schema.returns):
                kind = "view"
        kinds[name] = kind
    return kinds
