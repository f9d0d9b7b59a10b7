"""Findings about calls that make the host wait for the device, which several rules share.

What is measured is a wait for the work queued before the call, not what the call itself costs. On a
machine without an accelerator nothing waits; there a call that is plainly written in the step is
worth a hint at most, and it says that it was not measured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.attribution.model import LineKey
from stepscope.diagnosis import source
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.syncs import SyncFacts
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import (
    NEGLIGIBLE_SHARE,
    abstain,
    device_idle_ms,
    measured,
    share_of_step,
    silent,
    unmeasured,
)
from stepscope.diagnosis.spelled import place_of, places_of


@dataclass(frozen=True, slots=True)
class WaitThresholds:
    """``per_step``: fewer than one in two steps is a value that is already read now and then.

    ``measured`` is the share of the step from which on a wait is worth a word.
    """

    per_step: float = 0.5
    measured: float = NEGLIGIBLE_SHARE


def bounded_by_idle(facts: Facts, ms: float) -> tuple[float, float]:
    """What leaving out ``ms`` of the host's time saves.

    The step gets no shorter than the device's own work, and what is not waited for here may be
    waited for at the next synchronisation: hence nothing at worst.
    """
    idle = device_idle_ms(facts)
    return (0.0, min(ms, facts.profile.step_ms.median if idle is None else idle))


BOUND = "At most the wait, and at most the GPU's idle time."


def wait_findings(
    rule: str,
    facts: Facts,
    syncs: Iterable[SyncFacts],
    what: str,
    spelled: Callable[[source.Place], bool],
    thresholds: WaitThresholds,
) -> tuple[Finding, ...]:
    """One finding per statement.

    ``what`` is the call in words, as in "... has to wait"; ``spelled`` tells whether a statement
    shows the call to its reader, which decides where nothing was measured.
    """
    by_statement: dict[tuple[str, int], list[SyncFacts]] = {}
    for sync in sorted(syncs, key=lambda sync: sync.line):
        place = place_of(facts, sync.line)
        last = source.span(place.statement)[1] if place else sync.line[1]
        by_statement.setdefault((sync.line[0], last), []).append(sync)
    findings: list[Finding] = []
    for together in by_statement.values():
        key, per_step = together[0].line, sum(sync.per_step for sync in together)
        if per_step < thresholds.per_step:
            silent(rule, f"{per_step:.2f} per step on line {key[1]}")
        elif facts.machine.device == "cpu":
            findings += _written(rule, facts, key, together, what, spelled)
        else:
            findings += _measured(rule, facts, key, together, what, thresholds)
    return tuple(findings)


def _measured(
    rule: str,
    facts: Facts,
    key: LineKey,
    syncs: list[SyncFacts],
    what: str,
    thresholds: WaitThresholds,
) -> tuple[Finding, ...]:
    waits = [sync.wait_ms for sync in syncs if sync.wait_ms is not None]
    if not waits:
        return abstain(rule, f"no wait was measured on line {key[1]}")
    wait = sum(waits)
    share = share_of_step(facts, wait)
    if share < thresholds.measured:
        return silent(rule, f"waits {share:.3f} of the step on line {key[1]}")
    step = facts.profile.step_ms.median
    return (
        measured(
            rule,
            facts,
            key,
            f"The host waits {fmt.duration(wait)} of {fmt.duration(step)} ({fmt.share(share)}) on "
            f"this line: {what} has to wait for the GPU work queued before it. The call itself is "
            "quick, but no new work is queued meanwhile.",
            {
                "wait_ms": wait,
                "wait_share": share,
                "per_step": sum(sync.per_step for sync in syncs),
                "kind": syncs[0].kind,
            },
            bounded_by_idle(facts, wait),
            BOUND,
        ),
    )


def _written(
    rule: str,
    facts: Facts,
    key: LineKey,
    syncs: list[SyncFacts],
    what: str,
    spelled: Callable[[source.Place], bool],
) -> tuple[Finding, ...]:
    places = places_of(facts, key)
    if not places:
        return abstain(rule, f"line {key[1]} is in no known statement")
    if not any(spelled(place) for place in places):
        return silent(rule, f"line {key[1]} shows no such call")
    return (
        unmeasured(
            rule,
            facts,
            key,
            f"On a GPU, {what} in every step makes the host wait for the work queued before it.",
            {"per_step": sum(sync.per_step for sync in syncs), "kind": syncs[0].kind},
        ),
    )
