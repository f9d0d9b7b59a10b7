"""zero-filled-gradients: ``zero_grad`` writes zeros where it could let go of the gradients.

Since PyTorch 2.0 letting go is the default, so somebody asked for zeros. They cost a pass over all
gradients, and another one in the backward pass that adds to them.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.diagnosis import source
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.graphs import Graphs
from stepscope.diagnosis.finding import Finding, Severity
from stepscope.diagnosis.gates import NEGLIGIBLE_SHARE, abstain, share_of_step, silent
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.statements import called, finding_at

NAME = "zero-filled-gradients"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Shares of the step in filling and adding; ``warning``: more than a step's usual spread."""

    information: float = NEGLIGIBLE_SHARE
    warning: float = 0.10


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding per line that fills."""
    graphs = facts.measured(Graphs)
    if graphs is None:
        return abstain(NAME, "operators were not recorded")
    findings: list[Finding] = []
    for fill in graphs.zero_fills:
        parsed = source.parse(facts.profile.sources.get(fill.line[0], ""))
        place = parsed.place_at(fill.line[1]) if parsed else None
        if place is None or not asks_for_zeros(place.statement):
            silent(NAME, f"line {fill.line[1]} asks for no zeros")
            continue
        # The additions are shared by all that fill, and go only where every one of them does.
        cost = fill.ms + fill.adding_ms / len(graphs.zero_fills)
        share = share_of_step(facts, cost)
        if share < THRESHOLDS.information:
            silent(NAME, f"{share:.3f} of the step on line {fill.line[1]}")
            continue
        message = (
            f"Filling gradients with zeros takes {fmt.duration(fill.ms)} of the "
            f"{fmt.duration(facts.profile.step_ms.median)} step, and adding to those zeros "
            f"{fmt.duration(fill.adding_ms)}: without set_to_none=False they are let go of, and "
            "their memory is free during the forward pass."
        )
        evidence: dict[str, float | int | str] = {
            "fill_ms": fill.ms,
            "adding_ms": fill.adding_ms,
            "share": share,
            "per_step": fill.calls,
        }
        severity = Severity.WARNING if share >= THRESHOLDS.warning else Severity.INFORMATION
        # At worst memory for the gradients, asked for anew in each step, costs what is saved.
        findings.append(
            finding_at(facts, NAME, fill.line, severity, message, evidence, (0.0, cost))
        )
    return tuple(findings)


def asks_for_zeros(statement: ast.stmt) -> bool:
    """Whether a call of ``zero_grad`` in the statement has an argument that is not True."""
    for part in source.header(statement):
        for call in source.calls(part):
            if called(call) == "zero_grad":
                given = [keyword.value for keyword in call.keywords] + call.args
                if any(not isinstance(v, ast.Constant) or v.value is not True for v in given):
                    return True
    return False


RULE = Rule(name=NAME, title="Gradients filled with zeros", evaluate=evaluate)
