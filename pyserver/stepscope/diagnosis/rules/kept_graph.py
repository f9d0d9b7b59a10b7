"""kept-graph: results are summed up or collected together with the graph that made them."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.attribution.model import LineKey
from stepscope.diagnosis import source
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.graphs import Graphs, KeptGraphs
from stepscope.diagnosis.finding import Finding, Severity
from stepscope.diagnosis.gates import abstain, silent
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.source import Place
from stepscope.diagnosis.statements import executed, finding_at

NAME = "kept-graph"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Per step: a graph that grows by less than one piece in each is none that every step adds to.

    ``length``: additions in a row; fewer may be one model's own.
    """

    growth: float = 1.0
    length: int = 3


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding for a sum that grows, one for a list."""
    graphs = facts.measured(Graphs)
    if graphs is None or graphs.kept is None:
        return abstain(NAME, "what holds graphs was not looked for")
    return _sum(facts, graphs.kept) or _list(facts, graphs.kept)


def _sum(facts: Facts, kept: KeptGraphs) -> tuple[Finding, ...]:
    if kept.sum_growth < THRESHOLDS.growth or kept.sum_length < THRESHOLDS.length:
        return silent(NAME, "no sum grows with its graph")
    if kept.sum_line is None:
        return abstain(NAME, "the line of a sum that grows is not known")
    message = (
        f"This sum keeps the graph of every step: it holds {kept.sum_length} additions in a row "
        f"and {fmt.count(kept.sum_growth)} more per step, so memory and the next backward pass "
        "through it grow without end; add the value without its graph (.detach() or .item())."
    )
    evidence: dict[str, float | int | str] = {
        "kind": "sum",
        "additions": kept.sum_length,
        "growth_per_step": kept.sum_growth,
    }
    return (finding_at(facts, NAME, kept.sum_line, Severity.WARNING, message, evidence),)


def _list(facts: Facts, kept: KeptGraphs) -> tuple[Finding, ...]:
    if kept.tensor_growth < THRESHOLDS.growth:
        return silent(NAME, "tensors with a graph do not become more")
    made = frozenset(kept.tensor_lines)
    key = next((key for key, place in executed(facts) if keeps(place, made)), None)
    if key is None:
        return abstain(NAME, "what collects tensors with their graphs is not to be seen")
    message = (
        f"What is collected here keeps its graph: {fmt.count(kept.tensor_growth)} more tensors per "
        "step hold one, and all that it keeps alive; collect the value without it (.detach() or "
        ".item())."
    )
    evidence: dict[str, float | int | str] = {
        "kind": "list",
        "growth_per_step": kept.tensor_growth,
    }
    return (finding_at(facts, NAME, key, Severity.WARNING, message, evidence),)


def keeps(place: Place, made: frozenset[LineKey]) -> bool:
    """``values.append(x)`` of an ``x`` that one of these lines has assigned, or that it makes."""
    value = appended(place.statement)
    if value is None:
        return False
    names = {part.id for part in ast.walk(value) if isinstance(part, ast.Name)}
    lines = {line for _, line in made}
    first, last = source.span(place.statement)
    if any(first <= line <= last for line in lines):
        return True
    return any(
        isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store) and part.id in names
        for other in place.block[: place.index]
        if any(source.span(other)[0] <= line <= source.span(other)[1] for line in lines)
        for part in ast.walk(other)
    )


def appended(statement: ast.stmt) -> ast.expr | None:
    """``x`` of ``values.append(x)`` where that is kept as it is."""
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return None
    call = statement.value
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "append":
        return None
    if len(call.args) != 1 or call.keywords:
        return None
    value = call.args[0]
    ends = ("item", "detach", "tolist", "cpu", "numpy")
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        return None if value.func.attr in ends else value
    return value


RULE = Rule(name=NAME, title="Results kept with their graph", evaluate=evaluate)
