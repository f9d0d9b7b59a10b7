"""Matrix products and convolutions of the step, by dtype."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope.attribution.model import LineKey


@dataclass(frozen=True, slots=True)
class MatmulFacts:
    """Matrix products and convolutions, ms per step.

    ``float32_ms`` is their share of ``work_ms`` (forward and backward) that ran on float32 inputs
    outside autocast; ``total_ms`` all of them. ``loop_line`` is the line of the step's own loop
    under which most of the float32 forward time was spent: the statement to wrap in autocast.
    ``memory_bound_ms`` is the part of ``float32_ms`` on lines bound by memory or overhead, which
    a faster matrix unit cannot help. ``tf32`` is True when CUDA already runs float32 as TF32.
    """

    total_ms: float
    float32_ms: float
    memory_bound_ms: float
    loop_line: LineKey | None
    tf32: bool | None
