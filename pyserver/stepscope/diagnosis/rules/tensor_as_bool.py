"""tensor-as-bool: Python branches on a tensor's value, which the host has to wait for."""

from __future__ import annotations

import ast

from stepscope.diagnosis import source
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.syncs import Syncs
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import abstain
from stepscope.diagnosis.rule import Eases, Rule
from stepscope.diagnosis.waits import WaitThresholds, wait_findings

NAME = "tensor-as-bool"
THRESHOLDS = WaitThresholds()

# Python's own, which ask tensors for their truth one by one.
_FUNCTIONS = frozenset({"max", "min", "any", "all", "bool", "sorted"})


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding per statement."""
    syncs = facts.measured(Syncs)
    if syncs is None:
        return abstain(NAME, "synchronisations were not looked for")
    return wait_findings(
        NAME,
        facts,
        syncs.of_kind("bool"),
        "branching on a tensor's value",
        _shows,
        THRESHOLDS,
    )


def _shows(place: source.Place) -> bool:
    statement = place.statement
    if isinstance(statement, (ast.If, ast.While, ast.Assert)):
        return True
    for part in source.header(statement):
        for node in ast.walk(part):
            if isinstance(node, (ast.IfExp, ast.BoolOp)):
                return True
            if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
                return True
            if isinstance(node, ast.Call) and source.dotted_name(node.func) in _FUNCTIONS:
                return True
    return False


RULE = Rule(
    name=NAME,
    title="Python branches on a tensor's value",
    evaluate=evaluate,
    advice="Decide on the device with torch.where, torch.clamp or torch.maximum",
    eases=Eases.HOST,
)
