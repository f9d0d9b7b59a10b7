"""retain-graph: ``retain_graph=True`` where no graph is gone through twice."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.diagnosis import source
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.graphs import Graphs
from stepscope.diagnosis.facts.memory import Memory
from stepscope.diagnosis.finding import Finding, Severity
from stepscope.diagnosis.gates import abstain, silent
from stepscope.diagnosis.pressure import NEGLIGIBLE_SHARE_OF_PEAK
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.statements import called, executed, finding_at

NAME = "retain-graph"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When it is worth a word.

    ``share`` of the peak that outlives its step. ``warning``: from a quarter of the peak on it
    decides which batch fits. ``steps`` that must be seen: a graph may be used in the next one.
    """

    share: float = NEGLIGIBLE_SHARE_OF_PEAK
    warning: float = 0.25
    steps: int = 2


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding per backward call with the argument."""
    graphs, memory = facts.measured(Graphs), facts.measured(Memory)
    if graphs is None or memory is None or graphs.outliving_bytes is None:
        return abstain(NAME, "backward passes and memory were not measured")
    keys = [key for key, place in executed(facts) if any(retaining(place.statement))]
    if not keys:
        return silent(NAME, "no backward call retains its graph")
    if graphs.steps < THRESHOLDS.steps:
        return abstain(NAME, "one step does not show whether the next one uses its graph")
    if graphs.passed_again > 0:
        return silent(NAME, f"{graphs.passed_again:.0f} nodes per step are used again")
    share = graphs.outliving_bytes / max(1, memory.peak_bytes)
    if share < THRESHOLDS.share:
        return silent(NAME, f"{share:.3f} of the peak outlives its step")
    message = (
        f"retain_graph=True keeps the graph after the backward pass, and none was gone through "
        f"twice: {fmt.size(graphs.outliving_bytes)}, {fmt.share(share)} of the peak, outlive the "
        "step that made them; leave the argument out."
    )
    evidence: dict[str, float | int | str] = {
        "outliving_bytes": graphs.outliving_bytes,
        "peak_bytes": memory.peak_bytes,
        "share_of_peak": share,
        "nodes_used_again": graphs.passed_again,
    }
    severity = Severity.WARNING if share >= THRESHOLDS.warning else Severity.INFORMATION
    return tuple(finding_at(facts, NAME, key, severity, message, evidence) for key in keys)


def retaining(statement: ast.stmt) -> list[ast.keyword]:
    """``retain_graph=True`` in backward calls of a statement, unless a graph of it is wanted."""
    found = []
    for part in source.header(statement):
        for call in source.calls(part):
            given = {keyword.arg: keyword for keyword in call.keywords}
            keyword = given.get("retain_graph")
            if called(call) != "backward" or keyword is None or "create_graph" in given:
                continue
            if isinstance(keyword.value, ast.Constant) and keyword.value.value is True:
                found.append(keyword)
    return found


RULE = Rule(name=NAME, title="A graph retained for nobody", evaluate=evaluate)
