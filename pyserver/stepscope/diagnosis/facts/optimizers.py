"""Optimizers that stepped: which implementation they use and what it takes."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope.attribution.model import LineKey


@dataclass(frozen=True, slots=True)
class OptimizerFacts:
    """One optimizer. ``construct`` is the user line that made it, None where none did.

    ``step_ms`` is the time per step of the thread inside its ``step()``; ``update_ms`` the part of
    it in operators: the arithmetic, or on a device launching it. Optimizers of one class share that
    by their parameters. ``implementation`` is "single tensor", "foreach" or "fused".
    ``takes_foreach`` and ``takes_fused`` say what its class and parameters allow.
    """

    name: str
    construct: LineKey | None
    step_ms: float
    update_ms: float
    implementation: str
    takes_foreach: bool
    takes_fused: bool
    parameters: int


@dataclass(frozen=True, slots=True)
class Optimizers:
    """Every optimizer that stepped in the measured steps."""

    all: tuple[OptimizerFacts, ...]
