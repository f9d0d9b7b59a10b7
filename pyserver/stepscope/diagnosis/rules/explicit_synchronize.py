"""explicit-synchronize: the step waits for the device because it was told to."""

from __future__ import annotations

from stepscope import format as fmt
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.syncs import SyncFacts, Syncs
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import abstain, measured, share_of_step, silent
from stepscope.diagnosis.rule import Eases, Rule
from stepscope.diagnosis.spelled import called, calls_on
from stepscope.diagnosis.waits import BOUND, WaitThresholds, bounded_by_idle

NAME = "explicit-synchronize"
THRESHOLDS = WaitThresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding per line. Without an accelerator there is nothing to synchronise with."""
    syncs = facts.measured(Syncs)
    if syncs is None:
        return abstain(NAME, "synchronisations were not looked for")
    findings: list[Finding] = []
    for sync in syncs.of_kind("synchronize"):
        findings += _examine(facts, sync)
    return tuple(findings)


def _examine(facts: Facts, sync: SyncFacts) -> tuple[Finding, ...]:
    key = sync.line
    if sync.wait_ms is None:
        return abstain(NAME, f"no wait was measured on line {key[1]}")
    share = share_of_step(facts, sync.wait_ms)
    if sync.per_step < THRESHOLDS.per_step or share < THRESHOLDS.measured:
        return silent(NAME, f"waits {share:.3f} of the step on line {key[1]}")
    written = {name.rpartition(".")[2] for name in called(calls_on(facts, key))}
    what = "synchronize()" if "synchronize" in written else "a call that synchronises"
    step = facts.profile.step_ms.median
    return (
        measured(
            NAME,
            facts,
            key,
            f"The host waits {fmt.duration(sync.wait_ms)} of {fmt.duration(step)} "
            f"({fmt.share(share)}) on this line, for all GPU work queued before: {what}. No new "
            "work is queued meanwhile.",
            {"wait_ms": sync.wait_ms, "wait_share": share, "per_step": sync.per_step},
            bounded_by_idle(facts, sync.wait_ms),
            BOUND,
        ),
    )


RULE = Rule(
    name=NAME,
    title="The step synchronises with the device explicitly",
    evaluate=evaluate,
    eases=Eases.HOST,
)
