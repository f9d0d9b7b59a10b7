"""old-results: results of the last step are still there when the next one reaches its peak.

A variable of the loop keeps its value until the statement that gives it the next one has run.
"""

from __future__ import annotations

from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.memory import Memory
from stepscope.diagnosis.finding import Finding, Severity
from stepscope.diagnosis.gates import abstain, silent
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.rules.retain_graph import retaining
from stepscope.diagnosis.statements import executed, finding_at

NAME = "old-results"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When it is worth a word.

    Share of the peak that one line's variable keeps: 10 % is a batch that is larger by as much.
    ``warning``: a quarter.
    """

    information: float = 0.10
    warning: float = 0.25


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding per line that lets go of such results."""
    memory = facts.measured(Memory)
    if memory is None or memory.peak_bytes <= 0:
        return abstain(NAME, "memory was not recorded")
    if any(retaining(place.statement) for _, place in executed(facts)):
        return silent(NAME, "a graph is retained, and with it what it was made of")
    findings: list[Finding] = []
    for line, size in memory.old:
        share = size / memory.peak_bytes
        if share < THRESHOLDS.information:
            silent(NAME, f"{share:.3f} of the peak on line {line[1]}")
            continue
        message = (
            f"{fmt.size(size)} of the {fmt.size(memory.peak_bytes)} peak ({fmt.share(share)}) are "
            "results of the step before, which a variable keeps until this statement has made the "
            "new ones: delete it at the end of the loop's body."
        )
        evidence: dict[str, float | int | str] = {
            "old_bytes": size,
            "peak_bytes": memory.peak_bytes,
            "share_of_peak": share,
        }
        severity = Severity.WARNING if share >= THRESHOLDS.warning else Severity.INFORMATION
        findings.append(finding_at(facts, NAME, line, severity, message, evidence))
    return tuple(findings)


RULE = Rule(name=NAME, title="Results of the last step at the peak", evaluate=evaluate)
