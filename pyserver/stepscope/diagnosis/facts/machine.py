"""Where the run happened."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Machine:
    """The device that the model is on, and the processor beside it.

    ``float32_peak`` and ``bfloat16_peak`` are FLOP/s measured by calibration, or taken from the
    table of known devices; ``peaks_source`` says which.
    """

    device: str  # "cpu" or "cuda"
    device_name: str
    cores: int | None  # that this process may use; None: a trace does not say
    threads: int | None  # torch's intra-op threads
    float32_peak: float | None
    bfloat16_peak: float | None
    peaks_source: str
