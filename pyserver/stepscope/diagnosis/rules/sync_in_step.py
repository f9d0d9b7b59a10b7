"""sync-in-step: the host stops in every step until the device has caught up.

What is measured is a wait for the work queued before the call, not the cost of ``.item()``. On a
machine without an accelerator nothing waits; there a call that is plainly written in the loop is
worth a hint at most, and it says that it was not measured.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.attribution.model import LineKey
from stepscope.diagnosis import source
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.syncs import SyncFacts, Syncs
from stepscope.diagnosis.finding import Finding, Severity
from stepscope.diagnosis.gates import (
    NEGLIGIBLE_SHARE,
    abstain,
    device_idle_ms,
    last_line,
    severity_of,
    share_of_step,
    silent,
)
from stepscope.diagnosis.rule import Eases, Rule

NAME = "sync-in-step"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From when on it is worth a word.

    ``per_step``: fewer than one in two steps is a value that is already logged now and then.

    ``measured`` is the wait from which on it is worth
    saying what the host waits for, even if the device would be busy meanwhile anyway.
    """

    per_step: float = 0.5
    measured: float = NEGLIGIBLE_SHARE


THRESHOLDS = Thresholds()

# How a call reads in a message, by the kind of its facts.
_CALLS = {
    "item": "reading a tensor's value (.item(), float(), .tolist())",
    "cpu": "copying a tensor to the host",
    "print": "printing a tensor's value",
    "bool": "branching on a tensor's value",
    "nonzero": "an operation whose result's size depends on values (nonzero, masks, unique)",
    "synchronize": "an explicit synchronize()",
}

# Spellings that show a synchronisation to the reader of the line.
_METHODS = frozenset({"item", "cpu", "tolist", "numpy", "synchronize"})
_FUNCTIONS = frozenset({"float", "int", "print"})


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding per line; where nothing is measured, one per statement."""
    known = facts.measured(Syncs)
    if known is None:
        return abstain(NAME, "synchronisations were not looked for")
    by_line: dict[LineKey, list[SyncFacts]] = {}
    for sync in known.all:
        by_line.setdefault(sync.line, []).append(sync)
    findings: list[Finding] = []
    statements: set[tuple[str, int]] = set()
    for key, syncs in sorted(by_line.items()):
        per_step = sum(sync.per_step for sync in syncs)
        if per_step < THRESHOLDS.per_step:
            silent(NAME, f"{per_step:.2f} per step on line {key[1]}")
        elif facts.machine.device == "cpu":
            for finding in _written(facts, key, syncs, per_step):
                # What is read after the first value of a statement finds the GPU's work done.
                if (finding.file, finding.end_line) not in statements:
                    statements.add((finding.file, finding.end_line))
                    findings.append(finding)
        else:
            findings += _measured(facts, key, syncs, per_step)
    return tuple(findings)


def _measured(
    facts: Facts, key: LineKey, syncs: list[SyncFacts], per_step: float
) -> tuple[Finding, ...]:
    waits = [sync.wait_ms for sync in syncs if sync.wait_ms is not None]
    if not waits:
        return abstain(NAME, f"no wait was measured on line {key[1]}")
    wait = sum(waits)
    share = share_of_step(facts, wait)
    if share < THRESHOLDS.measured:
        return silent(NAME, f"waits {share:.3f} of the step on line {key[1]}")
    kind = max(syncs, key=lambda sync: sync.wait_ms or 0.0).kind
    # The step gets no shorter than the device's own work, and what is not waited for here may be
    # waited for at the next synchronisation: hence nothing at worst.
    high = min(wait, device_idle_ms(facts) or 0.0)
    message = (
        f"The host waits {fmt.duration(wait)} of {fmt.duration(facts.profile.step_ms.median)} "
        f"({fmt.share(share)}) on this line: {_CALLS.get(kind, kind)} has to wait for the GPU "
        "work queued before it. The call itself is quick, but no new work is queued meanwhile."
    )
    return (
        Finding(
            rule=NAME,
            file=key[0],
            line=key[1],
            end_line=last_line(facts, key),
            severity=severity_of(facts, high),
            message=message,
            evidence={"wait_ms": wait, "wait_share": share, "per_step": per_step, "kind": kind},
            gain_ms=(0.0, high),
            gain_source="At most the wait, and at most the GPU's idle time.",
        ),
    )


def _written(
    facts: Facts, key: LineKey, syncs: list[SyncFacts], per_step: float
) -> tuple[Finding, ...]:
    parsed = source.parse(facts.profile.sources.get(key[0], ""))
    places = parsed.places_at(key[1]) if parsed else ()
    if not places:
        return abstain(NAME, f"line {key[1]} is in no known statement")
    place = next((p for p in places if _shows_sync(source.header(p.statement))), None)
    if place is None:
        # An optimizer that reads its own step count, say: nothing that the user could change.
        return silent(NAME, f"line {key[1]} shows no synchronisation")
    if not _in_loop(place.parents):
        return silent(NAME, f"line {key[1]} is in no loop of its own function")
    kind = syncs[0].kind
    return (
        Finding(
            rule=NAME,
            file=key[0],
            line=key[1],
            end_line=source.span(place.statement)[1],
            severity=Severity.HINT,
            message=(
                f"On a GPU, {_CALLS.get(kind, kind)} in every step makes the host wait for the "
                "work queued before it. Not measured: no GPU in this run."
            ),
            evidence={"per_step": per_step, "kind": kind},
            gain_ms=None,
        ),
    )


def _in_loop(parents: Iterable[ast.AST]) -> bool:
    """Whether the innermost function (or the module) runs the statement in a loop."""
    looped = False
    for parent in parents:
        if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            looped = False
        elif isinstance(parent, (ast.For, ast.AsyncFor, ast.While)):
            looped = True
    return looped


def _shows_sync(nodes: Iterable[ast.AST]) -> bool:
    for node in nodes:
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
