"""data-dependent-shape: the size of a result depends on values, so the host waits to learn it."""

from __future__ import annotations

import ast

from stepscope.diagnosis import source
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.syncs import Syncs
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import abstain
from stepscope.diagnosis.rule import Eases, Rule
from stepscope.diagnosis.waits import WaitThresholds, wait_findings

NAME = "data-dependent-shape"
THRESHOLDS = WaitThresholds()

_FUNCTIONS = frozenset(
    {"nonzero", "argwhere", "where", "masked_select", "unique", "unique_consecutive"}
) | frozenset({"repeat_interleave"})


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding per statement."""
    syncs = facts.measured(Syncs)
    if syncs is None:
        return abstain(NAME, "synchronisations were not looked for")
    return wait_findings(
        NAME,
        facts,
        syncs.of_kind("nonzero"),
        "an operation whose result's size depends on values (a mask as index, nonzero, unique)",
        _shows,
        THRESHOLDS,
    )


def _shows(place: source.Place) -> bool:
    statement = place.statement
    for part in source.header(statement):
        for node in ast.walk(part):
            if isinstance(node, ast.Subscript):
                return True
            name = source.dotted_name(node.func) if isinstance(node, ast.Call) else ""
            if name.rpartition(".")[2] in _FUNCTIONS:
                return True
    return False


RULE = Rule(
    name=NAME,
    title="The size of a result depends on values",
    evaluate=evaluate,
    advice="Keep the shape: torch.where, a multiplied mask, or a fixed size (output_size=, size=)",
    eases=Eases.HOST,
)
