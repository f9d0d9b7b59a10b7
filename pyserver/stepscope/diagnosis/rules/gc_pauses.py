"""gc-pauses: Python's garbage collector looks through everything in the middle of steps."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.attribution.model import LineKey
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.garbage import Garbage
from stepscope.diagnosis.facts.host import Host
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import abstain, share_of_average, silent
from stepscope.diagnosis.rule import Eases, Rule
from stepscope.diagnosis.saying import Gain, found, of_average
from stepscope.diagnosis.spelled import collects_garbage, lines_of_step

NAME = "gc-pauses"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From when on it is worth a word.

    ``share`` of the step, on average, that collections of all objects take; 5 % is more than
    two runs differ by. ``full``: how many were seen; one may have been due by chance.
    """

    share: float = 0.05
    full: int = 2


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding, on the statement of the loop that runs the forward pass."""
    garbage, host = facts.measured(Garbage), facts.measured(Host)
    if garbage is None:
        return abstain(NAME, "collections were not recorded")
    if any(collects_garbage(facts, line.key) for line in lines_of_step(facts)):
        return silent(NAME, "the step collects garbage itself")
    share = share_of_average(facts, garbage.full_ms)
    if garbage.full < THRESHOLDS.full or share < THRESHOLDS.share:
        return silent(NAME, f"{garbage.full} full collections take {share:.3f} of the step")
    key: LineKey | None = host.forward_line if host is not None else None
    if key is None:
        return abstain(NAME, "no line of the loop is known")
    return found(
        NAME,
        facts,
        key,
        f"Python's garbage collector looked through all objects {fmt.count(garbage.full)} times in "
        f"{fmt.plural(garbage.steps, 'step')}, {fmt.duration(garbage.longest_ms)} at the longest: "
        f"{of_average(facts, garbage.full_ms)}. gc.freeze() before the loop leaves out all that "
        "was there before.",
        {
            "collector_ms": garbage.full_ms,
            "share": share,
            "longest_ms": garbage.longest_ms,
            "collections": garbage.full,
        },
        Gain(0.0, garbage.full_ms, "At most the full collections' own time."),
    )


RULE = Rule(
    name=NAME,
    title="The garbage collector interrupts steps",
    evaluate=evaluate,
    eases=Eases.HOST,
)
