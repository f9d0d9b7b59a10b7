"""Runs a target that asks for an accelerator on the CPU: only when somebody asked for that.

Every way to *name* a device is given the CPU instead: ``torch.device``, the ``device`` of factories
and of ``to``, ``.cuda()``, ``map_location``, ``torch.cuda``'s own functions. What a line then does
is what it would do had it said "cpu" itself: the same float32 arithmetic, on another device.
``torch.cuda.is_available()`` goes on saying no, so a target that chooses for itself chooses the
CPU, and autocast and gradient scaling for CUDA switch themselves off, as torch has them do.

The entry points are replaced, since a ``TorchFunctionMode`` would tax every operator. What cannot
be redirected (CUDA graphs, NCCL, kernels of extensions) fails as it would without us.
"""

from __future__ import annotations

import contextlib
import copyreg
import functools
import importlib
import os
import time
import types
from collections.abc import Callable
from typing import Any

from .standing_for import standing_for

_ACCELERATORS = frozenset(("cuda", "mps", "xpu", "hip"))
_FACTORIES = (
    "arange", "as_tensor", "asarray", "bartlett_window", "blackman_window", "empty", "empty_like",
    "empty_permuted", "empty_strided", "eye", "full", "full_like", "hamming_window", "hann_window",
    "kaiser_window", "linspace", "logspace", "normal", "ones", "ones_like", "rand", "rand_like",
    "randint", "randint_like", "randn", "randn_like", "randperm", "range", "scalar_tensor",
    "sparse_bsc_tensor", "sparse_bsr_tensor", "sparse_compressed_tensor", "sparse_coo_tensor",
    "sparse_csc_tensor", "sparse_csr_tensor", "tensor", "tril_indices", "triu_indices", "zeros",
    "zeros_like",
)  # fmt: skip
_METHODS = ("new_empty", "new_empty_strided", "new_full", "new_ones", "new_tensor", "new_zeros")
_NOTE = (
    "Run on the CPU on request: what the script does on an accelerator was done on the CPU "
    "instead, in float32 where it asks for CUDA's autocast. The times are the CPU's."
)


def install(torch: Any) -> str:
    """Redirect, right after torch was imported. Returns the note for the report."""
    fix = functools.partial(_cpu_for, torch.device)
    _redirect_tensors(torch, fix)
    _redirect_modules(torch, fix)
    _redirect_cuda(torch)
    # Last: what is above needs the real class.
    torch.Generator = _stand_in(torch.Generator, fix)
    device = torch.device
    torch.device = _stand_in(device, fix)
    # Pickled by its class's name, which is the stand-in's now.
    copyreg.pickle(device, lambda found: (torch.device, (str(found),)))
    return _NOTE


def _cpu_for(device_class: Any, device: Any) -> Any:
    """The CPU in place of an accelerator; anything else as it is."""
    if isinstance(device, str):
        return "cpu" if device.partition(":")[0] in _ACCELERATORS else device
    if isinstance(device, int) and not isinstance(device, bool):
        return "cpu"  # a bare number means an accelerator
    if isinstance(device, device_class) and device.type in _ACCELERATORS:
        return "cpu"
    return device


def _redirect_tensors(torch: Any, fix: Callable[[Any], Any]) -> None:
    script: Any = importlib.import_module("torch.jit._builtins")
    for name in _FACTORIES:
        plain = getattr(torch, name, None)
        if plain is not None:
            replaced = _with_device(plain, fix)
            setattr(torch, name, replaced)
            # TorchScript knows operators by the function that stands for them.
            operator = script._find_builtin(plain)
            if operator is not None:
                script._register_builtin(replaced, operator)
    tensor = torch.Tensor
    for name in _METHODS:
        setattr(tensor, name, _with_device(getattr(tensor, name), fix))
    plain_to, plain_type = tensor.to, tensor.type

    def cuda(self: Any, *args: Any, **kwargs: Any) -> Any:
        return plain_to(self, "cpu", memory_format=_format(torch, kwargs))

    def pin_memory(self: Any, *args: Any, **kwargs: Any) -> Any:
        return self

    @standing_for(plain_type)
    def type_(self: Any, dtype: Any = None, *args: Any, **kwargs: Any) -> Any:
        if isinstance(dtype, str):
            dtype = dtype.replace("torch.cuda.", "torch.")
        return plain_type(self, dtype, *args, **kwargs)

    tensor.to, tensor.type = _redirected_to(plain_to, fix), type_
    tensor.cuda = tensor.xpu = cuda
    tensor.pin_memory = pin_memory
    for name in ("UntypedStorage", "TypedStorage"):
        storage = getattr(torch, name, None)
        if storage is not None:
            storage.cuda = lambda self, *_, **__: self
    plain_load = torch.load

    @standing_for(plain_load)
    def load(f: Any, map_location: Any = None, *args: Any, **kwargs: Any) -> Any:
        # A function or a table of devices can only choose among what is all the CPU here.
        chosen = getattr(map_location, "type", map_location)
        return plain_load(f, "meta" if chosen == "meta" else "cpu", *args, **kwargs)

    torch.load = load
    plain_default = torch.set_default_tensor_type

    @standing_for(plain_default)
    def set_default_tensor_type(kind: Any) -> None:
        plain_default(kind.replace("torch.cuda.", "torch.") if isinstance(kind, str) else kind)

    torch.set_default_tensor_type = set_default_tensor_type
    plain_device = torch.set_default_device

    @standing_for(plain_device)
    def set_default_device(device: Any) -> None:
        # With the CPU already the default there is nothing to set, and the mode it sets is slow.
        if fix(device) != "cpu":
            plain_device(device)

    torch.set_default_device = set_default_device


def _redirected_to(plain: Callable[..., Any], fix: Callable[[Any], Any]) -> Callable[..., Any]:
    """``to`` of tensors and modules: its first argument may be a device."""

    @standing_for(plain)
    def to(self: Any, *args: Any, **kwargs: Any) -> Any:
        if args:
            args = (fix(args[0]), *args[1:])
        if "device" in kwargs:
            kwargs["device"] = fix(kwargs["device"])
        return plain(self, *args, **kwargs)

    return to


def _format(torch: Any, kwargs: dict[str, Any]) -> Any:
    return kwargs.get("memory_format", torch.preserve_format)


def _redirect_modules(torch: Any, fix: Callable[[Any], Any]) -> None:
    module = torch.nn.Module
    plain_to = module.to

    def cuda(self: Any, device: Any = None) -> Any:
        return plain_to(self, "cpu")

    module.to = _redirected_to(plain_to, fix)
    module.cuda = module.xpu = cuda
    if hasattr(module, "to_empty"):
        module.to_empty = _with_device(module.to_empty, fix)


def _redirect_cuda(torch: Any) -> None:
    cuda = torch.cuda
    nothing = ("synchronize", "set_device", "init", "empty_cache", "ipc_collect", "set_stream",
               "reset_peak_memory_stats", "reset_max_memory_allocated",
               "reset_max_memory_cached", "reset_accumulated_memory_stats",
               "set_per_process_memory_fraction", "set_sync_debug_mode", "set_rng_state",
               "set_rng_state_all")  # fmt: skip
    for name in nothing:
        _put(cuda, name, _always(None))
    for name in ("memory_allocated", "max_memory_allocated", "memory_reserved",
                 "max_memory_reserved", "memory_cached", "max_memory_cached", "utilization",
                 "current_device"):  # fmt: skip
        _put(cuda, name, _always(0))
    _put(cuda, "is_available", _always(False))
    _put(cuda, "device_count", _always(0))
    _put(cuda, "is_bf16_supported", _always(False))
    _put(cuda, "get_device_name", _always("CPU"))
    _put(cuda, "get_device_capability", _always((0, 0)))
    _put(cuda, "get_device_properties", _always(_properties()))
    _put(cuda, "mem_get_info", _always((_memory(), _memory())))
    _put(cuda, "get_rng_state", lambda *_: torch.get_rng_state())
    _put(cuda, "get_rng_state_all", list)
    _put(cuda, "Event", Event)
    _put(cuda, "Stream", Stream)
    for name in ("current_stream", "default_stream"):
        _put(cuda, name, lambda *_: Stream())
    for name in ("stream", "device", "device_of", "StreamContext"):
        _put(cuda, name, _Context)
    for name in ("FloatTensor", "DoubleTensor", "HalfTensor", "BFloat16Tensor", "ByteTensor",
                 "CharTensor", "ShortTensor", "IntTensor", "LongTensor", "BoolTensor"):  # fmt: skip
        setattr(cuda, name, getattr(torch, name))
    nvtx = getattr(cuda, "nvtx", None)
    for name in ("range_push", "range_pop", "mark", "range_start", "range_end"):
        if nvtx is not None:
            _put(nvtx, name, _always(0))


def _always(value: Any) -> Callable[..., Any]:
    def answer(*_: Any, **__: Any) -> Any:
        return value

    return answer


def _put(owner: Any, name: str, value: Any) -> None:
    """Replace what is there; what this torch does not have, it goes on not having."""
    if hasattr(owner, name):
        setattr(owner, name, value)


def _with_device(function: Any, fix: Callable[[Any], Any]) -> Any:
    @standing_for(function)
    def on_cpu(*args: Any, **kwargs: Any) -> Any:
        if "device" in kwargs:
            kwargs["device"] = fix(kwargs["device"])
        if kwargs.get("pin_memory"):
            kwargs["pin_memory"] = False
        return function(*args, **kwargs)

    return on_cpu


def _stand_in(real: Any, fix: Callable[[Any], Any]) -> Any:
    """A name for a class that cannot be inherited from: it makes, and answers for, the real one."""

    class StandIn(type):
        def __call__(cls, *args: Any, **kwargs: Any) -> Any:
            if args and fix(args[0]) == "cpu":
                return real("cpu")
            for key in ("type", "device"):
                if key in kwargs and fix(kwargs[key]) == "cpu":
                    return real("cpu")
            return real(*args, **kwargs)

        def __instancecheck__(cls, instance: Any) -> bool:
            return isinstance(instance, real)

        def __subclasscheck__(cls, subclass: Any) -> bool:
            return subclass is cls or issubclass(subclass, real)

    return StandIn(real.__name__, (), {"__module__": "torch", "__doc__": real.__doc__})


class Event:
    """A point in time on the CPU, where work is done when the call returns."""

    def __init__(self, *args: Any, **_: Any) -> None:
        self._at: float | None = None

    def record(self, stream: Any = None) -> None:
        """Now."""
        self._at = time.perf_counter()

    def elapsed_time(self, end: Event) -> float:
        """Milliseconds until ``end``."""
        if self._at is None or end._at is None:
            raise RuntimeError("Both events must be recorded before calculating elapsed time.")
        return (end._at - self._at) * 1e3

    def wait(self, stream: Any = None) -> None:
        """All that came before is done."""

    def synchronize(self) -> None:
        """All that came before is done."""

    def query(self) -> bool:
        """Whether all that came before is done."""
        return True


class Stream:
    """The one order in which the CPU does everything."""

    def __init__(self, *args: Any, **_: Any) -> None:
        self.device_index, self.cuda_stream = 0, 0

    def wait_stream(self, stream: Any) -> None:
        """All that came before is done."""

    def wait_event(self, event: Any) -> None:
        """All that came before is done."""

    def synchronize(self) -> None:
        """All that came before is done."""

    def query(self) -> bool:
        """Whether all that came before is done."""
        return True

    def record_event(self, event: Event | None = None) -> Event:
        """An event, now."""
        event = event or Event()
        event.record()
        return event

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *error: object) -> None:
        return None


class _Context(contextlib.nullcontext[None]):
    """``with torch.cuda.device(1):``, which changes nothing here."""

    def __init__(self, *args: Any, **_: Any) -> None:
        super().__init__()
        self.idx = self.prev_idx = -1
        self.stream = args[0] if args else None


def _memory() -> int:
    """Bytes of this machine's memory."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if os.name == "posix" else 0


def _properties() -> Any:
    return types.SimpleNamespace(
        name="CPU", major=0, minor=0, total_memory=_memory(), multi_processor_count=1,
        warp_size=1, is_integrated=True, is_multi_gpu_board=False,
    )  # fmt: skip
