"""many-item-reads: values are read from the device one by one, where one copy would bring all."""

from __future__ import annotations

from stepscope import format as fmt
from stepscope.attribution.model import LineKey
from stepscope.diagnosis import source
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.syncs import Syncs
from stepscope.diagnosis.finding import Finding, Related
from stepscope.diagnosis.gates import (
    NEGLIGIBLE_SHARE,
    abstain,
    measured,
    share_of_step,
    silent,
    unmeasured,
)
from stepscope.diagnosis.reads import Reads, grouped_reads
from stepscope.diagnosis.rule import Eases, Rule
from stepscope.diagnosis.spelled import calls_on
from stepscope.diagnosis.waits import BOUND, bounded_by_idle

NAME = "many-item-reads"

_READS = frozenset({"item", "tolist", "cpu", "numpy", "float", "int"})


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding per group of reads, on its first line."""
    if facts.measured(Syncs) is None:
        return abstain(NAME, "synchronisations were not looked for")
    findings: list[Finding] = []
    for reads in grouped_reads(facts):
        findings += _examine(facts, reads)
    return tuple(findings)


def _examine(facts: Facts, reads: Reads) -> tuple[Finding, ...]:
    number = max(2, round(reads.per_step))
    where = "this line reads" if len(reads.syncs) == 1 else "these lines read"
    if facts.machine.device == "cpu":
        if not all(_shows_read(facts, sync.line) for sync in reads.syncs):
            return silent(NAME, f"line {reads.key[1]} shows no read")
        return (
            unmeasured(
                NAME,
                facts,
                reads.key,
                f"On a GPU, {where} {number} values one by one in every step, and each has to wait "
                "for the device; stacked they are one copy.",
                {"per_step": reads.per_step},
                related=_others(reads),
            ),
        )
    wait = reads.wait_ms
    if wait is None:
        return abstain(NAME, f"no wait was measured on line {reads.key[1]}")
    share = share_of_step(facts, wait)
    if share < NEGLIGIBLE_SHARE:
        return silent(NAME, f"waits {share:.3f} of the step on line {reads.key[1]}")
    step = facts.profile.step_ms.median
    return (
        measured(
            NAME,
            facts,
            reads.key,
            f"The host waits {fmt.duration(wait)} of {fmt.duration(step)} ({fmt.share(share)}): "
            f"{where} {number} values one by one, and each has to wait for the device; stacked "
            "they are one copy.",
            {"wait_ms": wait, "wait_share": share, "per_step": reads.per_step},
            # The first of them waits for the work before it all the same.
            bounded_by_idle(facts, wait),
            BOUND,
            related=_others(reads),
        ),
    )


def _others(reads: Reads) -> list[Related]:
    return [Related(*sync.line, "reads another value") for sync in reads.syncs]


def _shows_read(facts: Facts, key: LineKey) -> bool:
    names = (source.dotted_name(call.func) for call in calls_on(facts, key))
    return any(name.rpartition(".")[2] in _READS for name in names)


RULE = Rule(
    name=NAME,
    title="Values are read from the device one by one",
    evaluate=evaluate,
    advice="Stack the values into one tensor and read them with one .tolist()",
    eases=Eases.HOST,
)
