"""How many steps each pass of a run gets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

STEADY_WITHIN = 0.15  # three durations this close to their median are a steady step
MIN_WARMUP, MAX_WARMUP = 3, 10
MAX_WARMUP_SECONDS = 15.0
TOGETHER_WARMUP = 5  # of ranks: none of them may decide by its own step times


@dataclass(frozen=True)
class Plan:
    """Steps per pass, in the order in which the passes run.

    ``clean`` runs without any instrument and is the truth; ``lines`` has the line clock alone,
    ``mapped`` profiler and line clock, ``detail`` adds shapes and memory. ``aligned`` passes take
    one more step, so that whole passes of the user's loop lie inside.
    """

    clean: int
    lines: int
    mapped: int
    detail: int
    aligned: bool
    profiled: bool = True  # False: the mapping pass has the line clock alone
    # One more step under instruments, which takes up that ranks did not begin at the same moment.
    settles: bool = False

    def total(self) -> int:
        """Step intervals of all passes."""
        return sum(map(self.intervals, ("clean", "lines", "mapped", "detail")))

    def without(self, left_out: Sequence[str]) -> Plan:
        """The plan less "detail" (that pass) or "profiler": what made the target crash before."""
        return replace(
            self,
            detail=0 if "detail" in left_out else self.detail,
            profiled=self.profiled and "profiler" not in left_out,
        )

    def last(self) -> str:
        """The name of the last pass."""
        return next(name for name in ("detail", "mapped") if getattr(self, name))

    def intervals(self, name: str) -> int:
        """Step intervals that the pass lasts; 0 leaves it out."""
        count: int = getattr(self, name)
        if not count or name == "clean":
            return count
        return count + self.aligned + self.settles_in(name)

    def settles_in(self, name: str) -> bool:
        """Whether the first step of that pass is there to bring the ranks together."""
        return self.settles and name in ("lines", "mapped")


def plan_for(step_s: float, steps: int | None, aligned: bool) -> Plan:
    """A plan for steps that last ``step_s`` seconds; ``steps`` is the person's own wish."""

    def fit(budget_s: float, low: int, high: int) -> int:
        return max(low, min(high, int(budget_s / max(step_s, 1e-6))))

    return Plan(
        clean=steps or fit(4.0, 3, 12),
        lines=steps or fit(2.0, 2, 6),
        mapped=min(steps, 3) if steps else fit(1.0, 1, 3),
        detail=2,  # the first one only shows which memory outlives a step
        aligned=aligned,
    )


def plan_together(steps: int | None) -> Plan:
    """A plan for all ranks of a run: it depends on nothing that differs between them."""
    return Plan(
        clean=steps or 8,
        lines=steps or 4,
        mapped=min(steps or 3, 3),
        detail=2,
        aligned=True,
        settles=True,
    )


def plan_within(ticks: int, aligned: bool, settles: bool = False) -> tuple[int, Plan] | None:
    """(warm-up, plan) for a script that makes ``ticks`` steps in all, None if that is too few.

    Steps are counted at their ends, so ``ticks`` steps leave ``ticks - 1`` intervals.
    """
    left = ticks - 1
    if left < 1:
        return None
    for warmup, clean, lines, mapped, detail in (
        (3, 6, 4, 3, 2),
        (2, 3, 2, 2, 2),
        (1, 2, 1, 1, 2),
        (1, 1, 0, 1, 2),
    ):
        plan = Plan(clean, lines, mapped, detail, aligned, settles=settles)
        if warmup + plan.total() <= left:
            return warmup, plan
    for warmup, clean, mapped in ((1, 1, 1), (0, 1, 1), (0, 0, 1)):
        if warmup + clean + mapped <= left:
            return warmup, Plan(clean, 0, mapped, 0, False)
    return None


def is_steady(durations: list[float]) -> bool:
    """Whether the last three step durations agree."""
    if len(durations) < MIN_WARMUP:
        return False
    last = sorted(durations[-3:])
    return last[2] - last[0] <= STEADY_WITHIN * last[1]
