"""tensor-loop: a Python loop that takes a tensor apart element by element."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.loops import LoopFacts, Loops
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import abstain, share_of_step, silent
from stepscope.diagnosis.rule import Eases, Rule
from stepscope.diagnosis.saying import Gain, found, of_step

NAME = "tensor-loop"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From when on it is worth a word.

    ``share`` of the step spent on the loop's own lines. ``passes``: a loop over a handful of
    heads or scales costs little and reads well. ``selections`` per pass: what shows that the loop
    goes over a tensor.
    """

    share: float = 0.05
    passes: float = 16.0
    selections: float = 0.9


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding per loop whose passes do not need one another."""
    loops = facts.measured(Loops)
    if loops is None:
        return abstain(NAME, "operators were not recorded")
    findings: list[Finding] = []
    for loop in loops.all:
        share = share_of_step(facts, loop.cost_ms)
        if not _takes_apart(loop) or share < THRESHOLDS.share:
            silent(NAME, f"the loop on line {loop.line[1]} takes {share:.3f} of the step")
        elif loop.cells or loop.carries:
            silent(NAME, f"the passes of the loop on line {loop.line[1]} follow from one another")
        else:
            findings += found(
                NAME,
                facts,
                loop.line,
                f"This loop takes a tensor apart in {fmt.count(loop.passes)} passes per step, each "
                f"with operators of its own, in {of_step(facts, loop.cost_ms)}. One operator over "
                "the whole tensor does the work of all passes.",
                {
                    "passes": loop.passes,
                    "loop_ms": loop.cost_ms,
                    "share": share,
                    "selections": loop.indexes,
                },
                Gain(
                    0.0,
                    loop.cost_ms * (1 - 1 / loop.passes),
                    "All passes but one, at best.",
                ),
            )
    return tuple(findings)


def _takes_apart(loop: LoopFacts) -> bool:
    return (
        loop.by_variable
        and loop.passes >= THRESHOLDS.passes
        and loop.indexes >= THRESHOLDS.selections * loop.passes
    )


RULE = Rule(
    name=NAME,
    title="A Python loop over a tensor",
    evaluate=evaluate,
    advice="Write the loop as operators on the whole tensor (broadcasting, gather, cumsum, "
    "index_add)",
    eases=Eases.HOST,
)
