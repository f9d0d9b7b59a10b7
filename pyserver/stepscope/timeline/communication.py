"""What communication between processes is called, as an operator and as a kernel."""

from __future__ import annotations

COLLECTIVES = ("nccl:", "gloo:", "mpi:", "ucc:", "c10d::")
_KERNELS = ("nccl", "rccl", "gloo", "mscclKernel")


def is_collective(name: str) -> bool:
    """Whether an operator, or an annotation of torch.distributed's, is a collective."""
    return name.startswith(COLLECTIVES)


def is_collective_kernel(name: str) -> bool:
    """Whether a kernel is one of a communication library's."""
    return name.startswith(_KERNELS)
