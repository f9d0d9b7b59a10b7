"""How Kineto spells things, from torch 1.8 to today, on CUDA and ROCm. Nothing else knows."""

from __future__ import annotations

from stepscope.timeline.communication import is_collective

OP, RUNTIME, KERNEL, MEMCPY, MEMSET, FRAME, ANNOTATION = range(7)
"""What an event can be to us."""
DEVICE = KERNEL
"""The first of the kinds that are work of a device."""

CATEGORIES = {
    "cpu_op": OP, "Operator": OP,
    "cuda_runtime": RUNTIME, "cuda_driver": RUNTIME, "Runtime": RUNTIME, "hip_runtime": RUNTIME,
    "xpu_runtime": RUNTIME, "privateuse1_runtime": RUNTIME, "privateuse1_driver": RUNTIME,
    "kernel": KERNEL, "Kernel": KERNEL,
    "gpu_memcpy": MEMCPY, "Memcpy": MEMCPY,
    "gpu_memset": MEMSET, "Memset": MEMSET,
    "python_function": FRAME,
    "user_annotation": ANNOTATION,
}  # fmt: skip
"""Categories of events that last. The rest (flows, the profiler's own overhead, annotations drawn
a second time on the device) says nothing that these do not."""

MEMORY = "[memory]"
STEP = "ProfilerStep#"
OPTIMIZER = "Optimizer.step#"
LOADER = "enumerate(DataLoader)#"
NODE = "autograd::engine::evaluate_function: "

_MARKS = (STEP, "Optimizer.", LOADER, "PyTorch Profiler", "## ", "DataParallel.", "DistributedData")


def is_operator(name: str, annotation: bool) -> bool:
    """Whether an event of the host does work of its own, as against marking a stretch of time.

    Old traces call both operators; collectives are written as annotations in all of them.
    """
    if is_collective(name):
        return True
    return not annotation and not name.startswith(_MARKS)


VIEWS = frozenset(
    f"aten::{name}"
    for name in [
        "view",
        "reshape",
        "_reshape_alias",
        "_unsafe_view",
        "view_as",
        "reshape_as",
        "expand",
        "expand_as",
        "permute",
        "t",
        "transpose",
        "transpose_",
        "unsqueeze",
        "squeeze",
        "select",
        "slice",
        "narrow",
        "as_strided",
        "detach",
        "alias",
        "unbind",
        "split",
        "split_with_sizes",
        "chunk",
        "diagonal",
        "unfold",
        "movedim",
        "moveaxis",
        "swapaxes",
        "swapdims",
        "flatten",
        "unflatten",
        "numpy_T",
        "mT",
        "adjoint",
        "real",
        "imag",
        "view_as_real",
        "view_as_complex",
        "lift_fresh",
        "result_type",
        "is_nonzero",
        "item",
        "_local_scalar_dense",
        "size",
        "stride",
        "to",
        "contiguous",
    ]
)
"""Operators that move no data themselves. A trace has no schemas, and the server has no torch."""


def schema_kinds(names: list[str]) -> dict[str, str]:
    """What each operator among ``names`` does: "view", "inplace" or "new"."""
    kinds = {}
    for name in names:
        base, colons, last = name.partition("::")
        if not colons or base == "autograd":
            continue
        if name in VIEWS:
            kinds[name] = "view"
        else:
            inplace = last.endswith("_") and not last.endswith("__")
            kinds[name] = "inplace" if inplace else "new"
    return kinds
