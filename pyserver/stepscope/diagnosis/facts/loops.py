"""Python loops inside the step whose passes are small."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope.attribution.model import LineKey


@dataclass(frozen=True, slots=True)
class LoopFacts:
    """One ``for`` or ``while`` statement of the step, not the step's own loop.

    ``passes`` per step; ``cost_ms`` of its own lines, header included, per step. ``cells`` are
    recurrent cells per step, ``products`` matrix products, of which ``small_products`` have no side
    over the bound that ``small_side`` names; ``products_ms`` what all products take, forward
    and backward. ``indexes`` are tensor selections per step, ``by_variable`` whether the loop's own
    variable selects. ``carries``: a pass reads a name that the pass before assigned.
    """

    line: LineKey
    passes: float
    cost_ms: float
    cells: float
    products: float
    small_products: float | None
    products_ms: float
    indexes: float
    by_variable: bool
    carries: bool


@dataclass(frozen=True, slots=True)
class Loops:
    """Every loop of the step that goes round more than a few times."""

    all: tuple[LoopFacts, ...]
    small_side: int
