"""small-matmul-loop: a Python loop of small matrix products that do not need one another."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.loops import Loops
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import abstain, share_of_step, silent
from stepscope.diagnosis.rule import Eases, Rule
from stepscope.diagnosis.saying import Gain, found, of_step

NAME = "small-matmul-loop"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From when on it is worth a word.

    ``products`` per step; fewer are hardly worth rewriting. ``share`` of the step spent on the
    loop's own lines. ``small``: nearly all products must be small, since large ones fill the
    device one at a time.
    """

    products: float = 8.0
    share: float = 0.05
    small: float = 0.9


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding per loop."""
    loops = facts.measured(Loops)
    if loops is None:
        return abstain(NAME, "operators were not recorded")
    findings: list[Finding] = []
    for loop in loops.all:
        share = share_of_step(facts, loop.cost_ms)
        if loop.products < THRESHOLDS.products or loop.cells or share < THRESHOLDS.share:
            silent(NAME, f"the loop on line {loop.line[1]} runs {loop.products:.0f} products")
        elif loop.carries:
            silent(NAME, f"the products of the loop on line {loop.line[1]} follow one another")
        elif loop.small_products is None:
            abstain(NAME, "the products' sizes were not recorded")
        elif loop.small_products < THRESHOLDS.small * loop.products:
            silent(NAME, f"the products of the loop on line {loop.line[1]} are large")
        else:
            findings += found(
                NAME,
                facts,
                loop.line,
                f"This loop runs {fmt.count(loop.products)} small matrix products per step one "
                f"after the other, in {of_step(facts, loop.cost_ms)}. Stacked, one torch.bmm (or "
                "einsum) computes all of them.",
                {
                    "products": loop.products,
                    "loop_ms": loop.cost_ms,
                    "share": share,
                    "longest_side": loops.small_side,
                },
                Gain(0.0, loop.cost_ms * (1 - 1 / loop.passes), "All passes but one, at best."),
            )
    return tuple(findings)


RULE = Rule(
    name=NAME,
    title="A Python loop of small matrix products",
    evaluate=evaluate,
    advice="Stack the weights and the inputs, and multiply them with torch.bmm or einsum",
    eases=Eases.HOST,
)
