"""graph-in-evaluation: a forward pass builds a graph that no backward pass goes through."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.graphs import Graphs
from stepscope.diagnosis.finding import Finding, Severity
from stepscope.diagnosis.gates import abstain, share_of_step, silent
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.statements import finding_at

NAME = "graph-in-evaluation"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When it is worth a word.

    ``share`` of the step in the operators that build it: below a tenth, metrics on a training
    step's result are meant more often than a whole pass. ``unused``: the part of the statement's
    nodes that nobody goes through. ``nodes`` per step: fewer are no model.
    """

    share: float = 0.10
    unused: float = 0.90
    nodes: float = 2.0


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding per statement of the step's loop under which a graph is built for nobody."""
    graphs = facts.measured(Graphs)
    if graphs is None:
        return abstain(NAME, "operators were not recorded")
    findings: list[Finding] = []
    for graph in graphs.unused:
        share = share_of_step(facts, graph.ms)
        too_few = graph.unused < max(THRESHOLDS.nodes, THRESHOLDS.unused * graph.nodes)
        if too_few or share < THRESHOLDS.share:
            silent(NAME, f"{graph.unused:.0f} of {graph.nodes:.0f} nodes, {share:.3f} of the step")
            continue
        message = (
            f"This statement builds a graph of {fmt.count(graph.nodes)} nodes per step that no "
            f"backward pass goes through, in {fmt.duration(graph.ms)} of the "
            f"{fmt.duration(facts.profile.step_ms.median)} step: under torch.inference_mode() or "
            "torch.no_grad() intermediate results are freed at once."
        )
        evidence: dict[str, float | int | str] = {
            "nodes": graph.nodes,
            "unused": graph.unused,
            "forward_ms": graph.ms,
            "share": share,
        }
        findings.append(
            finding_at(facts, NAME, graph.line, Severity.INFORMATION, message, evidence)
        )
    return tuple(findings)


RULE = Rule(name=NAME, title="A graph that no backward pass uses", evaluate=evaluate)
