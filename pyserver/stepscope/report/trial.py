"""A fix that was measured: one step before it and one after it, and whether they differ at all."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.attribution.model import StepTime

RUN_TO_RUN = 0.03
"""Two runs of one file differ by this share of the step without a reason that anybody could name:
no smaller difference is spoken of, however steady the steps of either run were."""


@dataclass(frozen=True, slots=True)
class Trial:
    """The user's own step before and after a fix, same arguments, device and number of steps.

    ``gained_ms`` is what the median step lost (negative: it got slower); ``spread_ms`` what steps
    differ by anyway. ``differs``: whether the one is more than the other.
    """

    before_ms: StepTime
    after_ms: StepTime
    gained_ms: float
    spread_ms: float
    differs: bool


def compare_steps(before: StepTime, after: StepTime) -> Trial:
    """The trial of two runs.

    The spread is half of what lies between the tenth and the ninetieth percentile, of the less
    steady run, and never less than ``RUN_TO_RUN`` of the step before.
    """
    half_widths = [(times.p90 - times.p10) / 2 for times in (before, after)]
    spread = max(*half_widths, RUN_TO_RUN * before.median)
    gained = before.median - after.median
    return Trial(before, after, gained, spread, abs(gained) > spread)


def describe_trial(trial: Trial) -> str:
    """``step 41.2 ms → 30.1 ms, 27 % less (spread 3 %)``, or that nothing was gained."""
    before, after = trial.before_ms.median, trial.after_ms.median
    times = f"step {fmt.duration(before)} → {fmt.duration(after)}"
    if before <= 0:
        return times
    spread = fmt.share(trial.spread_ms / before)
    if not trial.differs:
        return f"nothing gained: {times}, no more than steps differ by anyway ({spread})"
    word = "less" if trial.gained_ms > 0 else "more"
    return f"{times}, {fmt.share(abs(trial.gained_ms) / before)} {word} (spread {spread})"
