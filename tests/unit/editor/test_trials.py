"""What a run says of a fix that was being tried, and to which findings that is attached later."""

from __future__ import annotations

from typing import Any

from stepscope.attribution.model import StepTime
from stepscope.editor.trials import Attempt, Trials, describe_outcome
from stepscope.report.model import Report
from tests import factories as make

FIXED = make.SOURCE.replace("print(loss.item())", "pass")


def step(median: float) -> StepTime:
    return StepTime(median, median * 0.99, median * 1.01)


def report(source: str, median: float, **run: Any) -> Report:
    return make.report(
        step_ms=step(median), sources={make.TARGET: source}, run=make.run_info(**run)
    )


def tried() -> tuple[Trials, Report]:
    trials, before = Trials(), report(make.SOURCE, 30.0)
    trials.begin(Attempt(before.hints[0].finding, "Print less", before.profile))
    return trials, before


def test_a_gain_is_told_once_and_stays_with_the_finding() -> None:
    trials, before = tried()
    outcome = trials.finish(report(FIXED, 20.0))
    assert outcome is not None
    assert describe_outcome(outcome) == (
        "Print less: step 30.0 ms → 20.0 ms, 33 % less (spread 3 %). Undo takes the edit back."
    )
    assert trials.finish(report(FIXED, 20.0)) is None
    # The edit is undone, and the line has moved: the same finding again.
    again = report("# new\n" + make.SOURCE, 30.0)
    moved = make.finding(make.line_of("loss.item()") + 1)
    again = make.report(findings=[(moved, None)], sources=again.profile.sources)
    (hint,) = trials.attached(again).hints
    assert hint.trial == outcome.trial
    assert trials.attached(before).hints[0].trial == outcome.trial
    other = make.report(findings=[(make.finding(rule="autocast"), None)])
    assert trials.attached(other).hints[0].trial is None


def test_an_undone_edit_tells_nothing_of_the_fix() -> None:
    trials, _ = tried()
    assert trials.finish(report(make.SOURCE, 20.0)) is None


def test_runs_that_do_not_compare_say_why() -> None:
    for fields, why in (
        ({"args": ("--epochs", "2")}, "the file ran with other arguments"),
        ({"device": "cuda:0"}, "the step ran on cuda:0, before the fix on cpu"),
    ):
        trials, _ = tried()
        outcome = trials.finish(report(FIXED, 20.0, **fields))
        assert outcome is not None
        assert outcome.trial is None
        assert describe_outcome(outcome) == (
            f"Print less: not comparable with the run before, since {why}."
        )


def test_a_run_of_another_file_is_no_trial() -> None:
    trials, _ = tried()
    assert trials.finish(make.moved_to(report(FIXED, 20.0), "/project/other.py")) is None
    assert trials.finish(report(FIXED, 20.0)) is not None
