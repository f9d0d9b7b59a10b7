"""clip-grad-loop: the norm of each gradient in a call of its own."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.patterns import Patterns
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import abstain, negligible, share_of_step, silent
from stepscope.diagnosis.rule import Eases, Rule
from stepscope.diagnosis.saying import Gain, found, of_step

NAME = "clip-grad-loop"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """``norms`` per step on one line: with fewer, a loop costs as little as a grouped call."""

    norms: float = 8.0


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding per line that computes many norms."""
    patterns = facts.measured(Patterns)
    if patterns is None:
        return abstain(NAME, "operators were not recorded")
    lines = {line.key: line for line in facts.profile.lines}
    findings: list[Finding] = []
    for clip in patterns.clip:
        line = lines.get(clip.line)
        cost = max(clip.ms, line.cost_ms if line is not None else 0.0)
        if clip.per_step < THRESHOLDS.norms or negligible(facts, cost):
            silent(NAME, f"{clip.per_step:.0f} norms on line {clip.line[1]}")
            continue
        findings += found(
            NAME,
            facts,
            clip.line,
            f"This line computes the norms of {fmt.count(clip.per_step)} tensors one by one, in "
            f"{of_step(facts, cost)}. clip_grad_norm_ with foreach=True groups them.",
            {
                "norms": clip.per_step,
                "line_ms": cost,
                "share": share_of_step(facts, cost),
                "operators_ms": clip.ms,
            },
            Gain(0.0, cost * (1 - 1 / clip.per_step), "All calls but one, at best."),
        )
    return tuple(findings)


RULE = Rule(
    name=NAME,
    title="Gradient norms computed one by one",
    evaluate=evaluate,
    eases=Eases.HOST,
)
