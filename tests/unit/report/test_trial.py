"""Two steps side by side: a difference within the spread is none."""

from __future__ import annotations

import pytest

from stepscope.attribution.model import StepTime
from stepscope.report.trial import compare_steps, describe_trial


def times(median: float, spread: float = 0.0) -> StepTime:
    return StepTime(median, median - spread, median + spread)


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        (times(41.2, 0.8), times(30.1, 0.3), "step 41.2 ms → 30.1 ms, 27 % less (spread 3 %)"),
        (times(40.0, 2.0), times(44.0, 1.0), "step 40.0 ms → 44.0 ms, 10 % more (spread 5 %)"),
        (
            times(41.2, 0.1),
            times(41.0, 0.1),
            "nothing gained: step 41.2 ms → 41.0 ms, no more than steps differ by anyway (3 %)",
        ),
        # A third less, from runs whose steps differ by more than that.
        (
            times(30.0, 3.0),
            times(20.0, 12.0),
            "nothing gained: step 30.0 ms → 20.0 ms, no more than steps differ by anyway (40 %)",
        ),
    ],
)
def test_what_is_said_of_two_steps(before: StepTime, after: StepTime, text: str) -> None:
    assert describe_trial(compare_steps(before, after)) == text


@pytest.mark.parametrize("change", [0.97, 0.971, 1.0, 1.03])
def test_two_runs_differ_by_three_per_cent_anyway(change: float) -> None:
    assert not compare_steps(times(100.0), times(100.0 * change)).differs


def test_the_spread_is_that_of_the_less_steady_run_whichever_it_is() -> None:
    steady, shaky = times(10.0, 0.1), times(9.0, 1.5)
    assert compare_steps(steady, shaky).spread_ms == compare_steps(shaky, steady).spread_ms == 1.5
