"""What occupies memory before a recorded step, and which addresses are gradients or state."""

from __future__ import annotations

import gc
from collections.abc import Iterable
from typing import Any

_HISTORY_ENTRIES = 500_000


class AllocatorHistory:
    """The CUDA allocator's own record of the window, for what the profiler does not report.

    Without stacks: the line clock knows the lines. Empty on the CPU, and where the script records
    its own history, which is left alone.
    """

    def __init__(self, torch: Any, device: Any) -> None:
        self._cuda = torch.cuda
        self._device = device
        self._running = False
        if device.type != "cuda":
            return
        enabled = getattr(torch._C, "_cuda_isHistoryEnabled", None)
        if enabled is not None and enabled():
            return
        self._cuda.memory._record_memory_history(context=None, max_entries=_HISTORY_ENTRIES)
        self._running = True

    def stop(self) -> list[list[int]]:
        """Rows of ``[time in ns, address, bytes]``, negative when freed, in the order they came."""
        if not self._running:
            return []
        self._running = False
        traces = self._cuda.memory._snapshot()["device_traces"]
        self._cuda.memory._record_memory_history(enabled=None)
        signs = {"alloc": 1, "free_completed": -1}
        return [
            [entry["time_us"] * 1000, signed(entry["addr"]), signs[entry["action"]] * entry["size"]]
            for entry in traces[self._device.index or 0]
            if entry["action"] in signs and "time_us" in entry
        ]


def allocator_counts(torch: Any, device: Any) -> dict[str, int] | None:
    """What the CUDA allocator has live now and has done so far; None on the CPU, which has none.

    ``allocated`` bytes; ``retries``: times that it gave back all that it had cached and tried
    again; ``taken`` and ``returned``: pieces of memory asked from the device, and given back.
    """
    if device.type != "cuda":
        return None
    stats = torch.cuda.memory_stats(device)
    return {
        "allocated": stats.get("allocated_bytes.all.current", 0),
        "retries": stats.get("num_alloc_retries", 0),
        "taken": stats.get("segment.all.allocated", 0),
        "returned": stats.get("segment.all.freed", 0),
    }


def signed(address: int) -> int:
    """An address as the signed 64-bit number that a capture column holds."""
    return address - (1 << 64) if address >= 1 << 63 else address


def storage_of(tensor: Any) -> tuple[int, int] | None:
    """(address, bytes) of a tensor's storage, None where there is no real memory behind it."""
    try:
        storage = tensor.untyped_storage()
        size = storage.nbytes()
        return (storage.data_ptr(), size) if size else None
    except Exception:  # meta, fake, sparse and other tensors without a storage of their own
        return None


def owned_addresses(optimizers: Iterable[Any], modules: Iterable[Any]) -> dict[str, list[int]]:
    """Addresses of parameters (buffers included), gradients and optimizer state, as of now."""
    found: dict[str, set[int]] = {"parameter": set(), "gradient": set(), "optimizer": set()}

    def add(kind: str, tensor: Any) -> None:
        storage = storage_of(tensor)
        if storage is not None:
            found[kind].add(storage[0])

    for optimizer in optimizers:
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                add("parameter", parameter)
                if parameter.grad is not None:
                    add("gradient", parameter.grad)
        for state in optimizer.state.values():
            for value in state.values() if isinstance(state, dict) else ():
                if hasattr(value, "untyped_storage"):
                    add("optimizer", value)
    for module in modules:
        for parameter in module.parameters():
            add("parameter", parameter)
            if parameter.grad is not None:
                add("gradient", parameter.grad)
        for buffer in module.buffers():
            add("parameter", buffer)
    return {kind: sorted(addresses) for kind, addresses in found.items()}


def resident_storages(torch: Any, device: Any) -> list[list[Any]]:
    """Every storage that a Python-visible tensor on ``device`` holds now.

    Returns ``[address, bytes, grad]`` rows; ``grad`` says that the tensor is part of a graph.
    Memory that only C++ holds is not seen; the number is a lower bound.
    """
    found: dict[int, list[Any]] = {}
    kinds = _kinds_with_memory(torch.Tensor)
    # type() instead of isinstance(): lazy proxies must not be woken up by a look at them. There are
    # a million objects to go through, so this line does nothing else.
    for candidate in [each for each in gc.get_objects() if type(each) in kinds]:
        try:
            if candidate.device != device:
                continue
            tensors = [candidate]
            if candidate.grad_fn is None and candidate.grad is not None:
                tensors.append(candidate.grad)
        except Exception:
            continue
        for tensor in tensors:
            storage = storage_of(tensor)
            if storage is not None and storage[0] not in found:
                found[storage[0]] = [storage[0], storage[1], tensor.grad_fn is not None]
    return list(found.values())


def _kinds_with_memory(base: Any) -> set[Any]:
    """``base`` and its subclasses, but fake and functional tensors of torch.compile."""
    kinds: set[Any] = set()
    waiting = [base]
    while waiting:
        kind = waiting.pop()
        if kind not in kinds and not kind.__module__.startswith("torch._subclasses"):
            kinds.add(kind)
            waiting.extend(type.__subclasses__(kind))
    return kinds
