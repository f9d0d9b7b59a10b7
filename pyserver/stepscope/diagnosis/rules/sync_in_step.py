"""sync-in-step: the host stops in every step until the device has caught up, to read a value."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from stepscope.diagnosis import source
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.syncs import SyncFacts, Syncs
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import abstain
from stepscope.diagnosis.reads import KINDS, grouped_reads
from stepscope.diagnosis.rule import Eases, Rule
from stepscope.diagnosis.spelled import place_of
from stepscope.diagnosis.waits import WaitThresholds, wait_findings

NAME = "sync-in-step"
THRESHOLDS = WaitThresholds()

# How a call reads in a message, by the kind of its facts.
_CALLS = {
    "item": "reading a tensor's value (.item(), float(), .tolist())",
    "cpu": "copying a tensor to the host",
    "print": "printing a tensor's value",
}

# Spellings that show a synchronisation to the reader of the line.
_METHODS = frozenset({"item", "cpu", "tolist", "numpy"})
_FUNCTIONS = frozenset({"float", "int", "print"})


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding per statement that reads values; groups of them are another rule's."""
    syncs = facts.measured(Syncs)
    if syncs is None:
        return abstain(NAME, "synchronisations were not looked for")
    grouped = {sync.line for reads in grouped_reads(facts) for sync in reads.syncs}
    statements: dict[tuple[str, int], list[SyncFacts]] = {}
    for sync in syncs.of_kind(*KINDS):
        if sync.line not in grouped:
            place = place_of(facts, sync.line)
            last = source.span(place.statement)[1] if place else sync.line[1]
            statements.setdefault((sync.line[0], last), []).append(sync)
    findings: list[Finding] = []
    for together in statements.values():
        kind = max(together, key=lambda sync: sync.wait_ms or 0.0).kind
        alike = [SyncFacts(sync.line, kind, sync.per_step, sync.wait_ms) for sync in together]
        findings += wait_findings(NAME, facts, alike, _CALLS[kind], _shows_sync, THRESHOLDS)
    return tuple(findings)


def _in_loop(parents: Iterable[ast.AST]) -> bool:
    """Whether the innermost function (or the module) runs the statement in a loop."""
    looped = False
    for parent in parents:
        if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            looped = False
        elif isinstance(parent, (ast.For, ast.AsyncFor, ast.While)):
            looped = True
    return looped


def _shows_sync(place: source.Place) -> bool:
    if not _in_loop(place.parents):
        return False
    for node in source.header(place.statement):
        for call in source.calls(node):
            name = source.dotted_name(call.func)
            if name in _FUNCTIONS or ("." in name and name.rpartition(".")[2] in _METHODS):
                return True
    return False


RULE = Rule(
    name=NAME,
    title="The host waits for the device in every step",
    evaluate=evaluate,
    eases=Eases.HOST,
)
