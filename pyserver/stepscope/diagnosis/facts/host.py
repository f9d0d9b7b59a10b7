"""The host beside the device: what keeps it busy, and which work it gives out in small pieces."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope.attribution.model import LineKey


@dataclass(frozen=True, slots=True)
class PythonLine:
    """Plain Python on one line, ms per step: time outside every operator, fetch and wait.

    ``operators`` counts operators that the line itself runs per step: the time between them is
    what torch's own Python takes, not the line's.
    """

    line: LineKey
    python_ms: float
    operators: float


@dataclass(frozen=True, slots=True)
class IdleLine:
    """A line of the host during which the device had nothing to do, ms per step."""

    line: LineKey
    idle_ms: float


@dataclass(frozen=True, slots=True)
class Host:
    """``kernels`` per step, ``median_kernel_us`` and ``idle_ms`` are None without an accelerator.

    ``idle_ms`` leaves out what waits for data, copies and synchronisation: the device waits for
    work to be given out. ``forward_line`` is the line of the step's loop under which most operators
    run forward.
    """

    python: tuple[PythonLine, ...]
    kernels: float | None
    median_kernel_us: float | None
    idle_ms: float | None
    idle: tuple[IdleLine, ...]
    forward_line: LineKey | None
