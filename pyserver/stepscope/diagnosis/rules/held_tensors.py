"""held-tensors: memory grows in every step, by what one line makes and something keeps.

What keeps a graph is said by ``kept-graph``; this is about the tensors themselves.
"""

from __future__ import annotations

from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.graphs import Graphs
from stepscope.diagnosis.facts.memory import Memory
from stepscope.diagnosis.finding import Finding, Severity
from stepscope.diagnosis.gates import abstain, silent
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.statements import finding_at

NAME = "held-tensors"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When it is worth a word.

    Bytes per step that one line's results stay, as a share of the peak: 1 % doubles it in 100
    steps, which no data set is too short for. ``grows``: the part of them by which memory must be
    seen to grow, since what replaces something older does not add up.
    """

    information: float = 0.01
    warning: float = 0.05
    grows: float = 0.50


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding per line, unless its results are kept through their graph."""
    memory, graphs = facts.measured(Memory), facts.measured(Graphs)
    if memory is None or memory.held is None or memory.peak_bytes <= 0:
        return abstain(NAME, "memory was not followed over two steps")
    kept = graphs.kept if graphs is not None else None
    if kept is not None and (kept.tensor_growth >= 1 or kept.sum_growth >= 1):
        return silent(NAME, "graphs are kept, which says more")
    findings: list[Finding] = []
    for line, size in memory.held:
        share = size / memory.peak_bytes
        if share < THRESHOLDS.information:
            silent(NAME, f"{size} bytes per step stay from line {line[1]}")
            continue
        if memory.growth_bytes < THRESHOLDS.grows * size:
            silent(NAME, f"memory grows by {memory.growth_bytes:.0f} bytes only")
            continue
        message = (
            f"{fmt.size(size)} per step that this line makes are still there when the next step "
            f"ends, and memory grows by {fmt.size(memory.growth_bytes)} per step, "
            f"{fmt.share(share)} of the peak: find the list or attribute that keeps them, and keep "
            "numbers or copies on the CPU instead."
        )
        evidence: dict[str, float | int | str] = {
            "held_bytes": size,
            "growth_bytes": memory.growth_bytes,
            "share_of_peak": share,
        }
        severity = Severity.WARNING if share >= THRESHOLDS.warning else Severity.INFORMATION
        findings.append(finding_at(facts, NAME, line, severity, message, evidence))
    return tuple(findings)


RULE = Rule(
    name=NAME,
    title="Memory grows from step to step",
    evaluate=evaluate,
    advice="Keep numbers (.item()) or CPU copies instead of tensors, or bound what is kept",
)
