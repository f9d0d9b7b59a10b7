"""slow-transform: the step waits for its data, and one line takes most of making a batch."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.loaders import Loaders
from stepscope.diagnosis.finding import Finding, Related
from stepscope.diagnosis.gates import abstain, measured, share_of_step, silent
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.spelled import loading_lines, runs_in
from stepscope.diagnosis.worker_plan import workers_would_do

NAME = "slow-transform"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When the rule speaks.

    ``wait``: share of the step spent waiting for data, as for slow-input. ``part``: of what all
    lines take to make a batch; a line with less than half of it is not the one to look at first.
    """

    wait: float = 0.10
    part: float = 0.5


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """At most one finding: the line that takes most of a batch."""
    loaders = facts.measured(Loaders)
    if loaders is None:
        return abstain(NAME, "reading data was not measured")
    step = facts.profile.step_ms.median
    wait = min(sum(loader.wait_ms for loader in loaders.all), step)
    if share_of_step(facts, wait) < THRESHOLDS.wait:
        return silent(NAME, "the step does not wait for data")
    if all(workers_would_do(facts, loader) for loader in loaders.all):
        return silent(NAME, "more workers would hide it")
    waiting = {loader.loop for loader in loaders.all}
    collating = [loader.collate for loader in loaders.all if loader.collate is not None]
    lines = [(line, ms) for line, ms in loading_lines(facts) if line.key not in waiting]
    total = sum(ms for _, ms in lines)
    if total <= 0:
        return abstain(NAME, "no line of a dataset was seen to run")
    slowest, took = max(lines, key=lambda item: item[1])
    part = took / total
    if part < THRESHOLDS.part:
        return silent(NAME, f"the slowest line takes {part:.2f} of a batch")
    if any(runs_in(slowest, code) for code in collating):
        return silent(NAME, "the line puts batches together, which is another rule's")
    workers = slowest.worker_ms is not None
    # Without workers, what the lines do not take is torch's own part of loading.
    saved = wait * part if workers else min(wait, took)
    return (
        measured(
            NAME,
            facts,
            slowest.key,
            f"The step waits {fmt.duration(wait)} of {fmt.duration(step)} for its data, and this "
            f"line takes {fmt.share(part)} of what lines take to make a batch. Do it once "
            "beforehand, for the whole batch at a time, or on the device.",
            {
                "wait_ms": wait,
                "wait_share": share_of_step(facts, wait),
                "line_share": part,
                "runs": slowest.worker_calls if slowest.worker_calls else slowest.calls,
            },
            gain_ms=(0.0, saved),
            gain_source="At most the line's part of the wait.",
            related=[
                Related(*loop, "waits for the data here")
                for loop in sorted(loop for loop in waiting if loop is not None)
            ],
        ),
    )


RULE = Rule(
    name=NAME,
    title="One line takes most of loading the data",
    evaluate=evaluate,
    advice="Do this once beforehand, for the whole batch at a time, or on the device",
)
