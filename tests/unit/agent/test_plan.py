"""How many steps each pass gets, of a script that makes few and of one that makes many."""

from __future__ import annotations

import pytest

from stepscope.agent.plan import Plan, plan_for, plan_within

PASSES = ("clean", "lines", "mapped", "detail")


def needed(warmup: int, plan: Plan) -> int:
    return warmup + sum(plan.intervals(name) for name in PASSES)


@pytest.mark.parametrize("aligned", [False, True])
def test_no_more_steps_are_planned_than_the_script_makes(aligned: bool) -> None:
    before = 0
    for ticks in range(2, 60):
        fitting = plan_within(ticks, aligned)
        assert fitting is not None
        warmup, plan = fitting
        assert needed(warmup, plan) <= ticks - 1  # the first tick only begins an interval
        assert plan.mapped >= 1
        assert needed(warmup, plan) >= before, "more steps, and less of them used"
        before = needed(warmup, plan)


def test_fewer_than_two_steps_cannot_be_planned_for() -> None:
    assert plan_within(0, False) is None
    assert plan_within(1, True) is None


@pytest.mark.parametrize(
    ("ticks", "warmup", "passes"),
    [
        (2, 0, (0, 0, 1, 0)),  # nothing but the mapping pass
        (3, 0, (1, 0, 1, 0)),
        (5, 1, (1, 0, 1, 0)),
        (12, 1, (2, 1, 1, 2)),
        (40, 3, (6, 4, 3, 2)),
    ],
)
def test_what_is_left_out_first(ticks: int, warmup: int, passes: tuple[int, int, int, int]) -> None:
    fitting = plan_within(ticks, aligned=True)
    assert fitting is not None
    plan = fitting[1]
    assert (fitting[0], (plan.clean, plan.lines, plan.mapped, plan.detail)) == (warmup, passes)


def test_steps_that_take_long_are_measured_less_often() -> None:
    fast, slow = plan_for(0.01, None, aligned=True), plan_for(2.0, None, aligned=True)
    assert (fast.clean, fast.lines, fast.mapped) == (12, 6, 3)
    assert (slow.clean, slow.lines, slow.mapped) == (3, 2, 1)


def test_a_persons_own_number_of_steps_is_kept() -> None:
    plan = plan_for(2.0, 20, aligned=False)
    assert (plan.clean, plan.lines, plan.mapped) == (20, 20, 3)
