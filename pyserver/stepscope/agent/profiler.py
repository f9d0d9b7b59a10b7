"""The only file that names torch's profiler: a recording over some steps, read as columns.

The low-level calls are used because ``torch.profiler.profile`` builds Python events (10 s for 100k)
on some versions. Its stacks are not asked for: they never hold the executing line.
"""

from __future__ import annotations

from array import array
from typing import Any

from .capture import EVENT_KINDS, MEMORY_COLUMNS, OP_COLUMNS, new_table

_OP, _ANNOTATION, _RUNTIME, _KERNEL, _MEMCPY, _MEMSET, _SYNC = range(len(EVENT_KINDS))
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
    """One profiler window. Start and stop on the same thread; nothing may nest in it."""

    def __init__(self, torch: Any, cuda: bool, detail: bool) -> None:
        autograd = torch.autograd
        activities = {autograd.ProfilerActivity.CPU}
        if cuda:
            activities.add(autograd.ProfilerActivity.CUDA)
        self._autograd = autograd
        self._detail = detail
        config = autograd.ProfilerConfig(
            autograd.ProfilerState.KINETO,
            detail,  # shapes
            detail,  # memory
            False,  # stacks
            detail,  # FLOPs
            False,  # modules
            # Recording all threads loses the memory events (torch 2.13): one or the other.
            _experimental(torch, all_threads=not detail),
        )
        autograd._prepare_profiler(config, activities)
        autograd._enable_profiler(config, activities)
        self._result: Any = None

    def stop(self) -> None:
        """End the recording; the events can be read later, off the measured path."""
        self._result = self._autograd._disable_profiler()

    def op_columns(self, strings: Strings) -> dict[str, array[Any]]:
        """Every host and device event, in ``OP_COLUMNS``."""
        table = new_table(OP_COLUMNS)
        add = [table[name].append for name in OP_COLUMNS]
        number = strings.number
        device_type = self._autograd.DeviceType
        names: dict[str, int] = {}
        detail = self._detail
        for event in self._result.events():
            name = event.name()
            if name == _MEMORY_EVENT:
                continue
            known = names.get(name)
            if known is None:
                known = names[name] = number(name)
            on_host = event.device_type() == device_type.CPU
            scope = event.scope()
            linked = event.linked_correlation_id()
            if on_host:
                kind = _host_kind(name, scope, linked)
                thread, device = event.start_thread_id(), -1
            else:
                kind = _device_kind(name)
                thread, device = event.device_resource_id(), event.device_index()
            inputs = -1
            if detail and kind == _OP:
                inputs = number(_inputs(event))
            row = (
                known,
                event.start_ns(),
                event.duration_ns(),
                thread,
                event.device_resource_id(),
                event.sequence_nr(),
                event.fwd_thread_id(),
                scope,
                kind,
                device,
                event.correlation_id(),
                linked,
                event.flops() if detail else 0,
                inputs,
            )
            for append, value in zip(add, row, strict=True):
                append(value)
        return table

    def memory_columns(self) -> dict[str, array[Any]]:
        """Allocations and frees with their addresses, in time order."""
        table = new_table(MEMORY_COLUMNS)
        rows = []
        stack = list(self._result.experimental_event_tree())
        while stack:
            node = stack.pop()
            stack.extend(node.children)
            kind, extra = node.typed
            if kind.name == "Allocation":
                device = extra.device
                index = -1 if device.type == "cpu" else (device.index or 0)
                rows.append(
                    (node.start_time_ns, extra.ptr or 0, extra.alloc_size, node.start_tid, index)
                )
        rows.sort()
        add = [table[name].append for name in MEMORY_COLUMNS]
        for row in rows:
            for append, value in zip(add, (row[0], _signed(row[1]), *row[2:]), strict=True):
                append(value)
        return table


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


def _host_kind(name: str, scope: int, linked: int) -> int:
    if scope == _USER_SCOPE:
        return _ANNOTATION
    # Runtime and driver calls carry the operator they were made for; operators carry none.
    if linked > 0 or name.startswith(("cuda", "hip", "cuLaunch", "cuMem", "cuStream")):
        return _RUNTIME
    return _OP


def _device_kind(name: str) -> int:
    if name.startswith("Memcpy"):
        return _MEMCPY
    if name.startswith("Memset"):
        return _MEMSET
    if name.endswith("Sync") or name.startswith(("Stream Wait", "Event Sync", "Context Sync")):
        return _SYNC
    return _KERNEL


def _inputs(event: Any) -> str:
    """Shapes and dtypes as one compact text, ``[[32, 64], []]|float,Scalar``.

    The values of a convolution's other arguments follow: without them its work cannot be told.
    """
    text = f"{event.shapes()}|{','.join(event.dtypes())}"
    return f"{text}|{event.concrete_inputs()}" if event.name() in _CONVOLUTIONS else text


def _signed(address: int) -> int:
    return address - (1 << 64) if address >= 1 << 63 else address


def schema_kinds(torch: Any, names: list[str]) -> dict[str, str]:
    """What each operator does with memory, from its schema: "view", "inplace" or "new"."""
    kinds = {}
    lookup = torch._C._jit_get_schemas_for_operator
    for name in names:
        if "::" not in name or name.startswith("autograd::"):
            continue
        kind = "new"
        for schema in lookup(name):
            if "out" in schema.overload_name:
                continue  # the variant that writes into a given tensor is another call
            if any(a.alias_info is not None and a.alias_info.is_write for a in schema.arguments):
                kind = "inplace"
                break
            if any(r.alias_info is not None for r in schema.returns):
                kind = "view"
        kinds[name] = kind
    return kinds
