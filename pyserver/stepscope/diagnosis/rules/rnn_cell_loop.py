"""rnn-cell-loop: a recurrent cell that is stepped through time in Python."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.loops import LoopFacts, Loops
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import abstain, share_of_step, silent
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.saying import Gain, found, of_step

NAME = "rnn-cell-loop"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From when on it is worth a word.

    ``cells`` per step: short sequences are stepped through about as fast as in one call.
    ``share`` of the step spent on the loop's own lines.
    """

    cells: float = 8.0
    share: float = 0.10


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding per outermost loop that steps cells."""
    loops = facts.measured(Loops)
    if loops is None:
        return abstain(NAME, "operators were not recorded")
    findings: list[Finding] = []
    lines: set[float] = set()
    for loop in loops.all:
        share = share_of_step(facts, loop.cost_ms)
        if loop.cells < THRESHOLDS.cells or share < THRESHOLDS.share:
            silent(NAME, f"the loop on line {loop.line[1]} steps {loop.cells:.0f} cells")
        elif loop.cells in lines:
            silent(NAME, f"the loop on line {loop.line[1]} is inside another")
        else:
            lines.add(loop.cells)
            findings += _say(facts, loop)
    return tuple(findings)


def _say(facts: Facts, loop: LoopFacts) -> tuple[Finding, ...]:
    return found(
        NAME,
        facts,
        loop.line,
        f"This loop steps recurrent cells {fmt.count(loop.cells)} times per step, each with "
        f"operators of its own, in {of_step(facts, loop.cost_ms)}. nn.GRU, nn.LSTM or nn.RNN run "
        "the whole sequence in one call.",
        {
            "cells": loop.cells,
            "loop_ms": loop.cost_ms,
            "share": share_of_step(facts, loop.cost_ms),
            "products_ms": loop.products_ms,
        },
        Gain(
            0.0,
            max(0.0, loop.cost_ms - loop.products_ms),
            "All but the matrix products, at best.",
        ),
    )


RULE = Rule(
    name=NAME,
    title="A recurrent cell in a Python loop",
    evaluate=evaluate,
    advice="Use nn.GRU, nn.LSTM or nn.RNN over the whole sequence",
)
