"""blocking-copy: the host waits for a copy to the device that could run beside it.

From pinned memory the device copies by itself. Without ``non_blocking=True`` torch waits all the
same, for the copy and for whatever was queued before it.
"""

from __future__ import annotations

from stepscope import format as fmt
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.calls import Call, Calls
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import abstain, measured, share_of_step, silent
from stepscope.diagnosis.rule import Eases, Rule
from stepscope.diagnosis.waits import BOUND, WaitThresholds, bounded_by_idle

NAME = "blocking-copy"
THRESHOLDS = WaitThresholds()
_COPIES = frozenset({"aten::to", "aten::_to_copy", "aten::copy_"})


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding per line. Copies from pageable memory are another rule's: they cannot help it."""
    calls = facts.measured(Calls)
    if calls is None:
        return abstain(NAME, "operators were not recorded")
    if facts.machine.device == "cpu":
        return silent(NAME, "nothing is copied to a device")
    findings: list[Finding] = []
    for key, on_line in calls.by_line():
        waiting = [call for call in on_line if _waits_for_pinned(call)]
        wait = sum(call.blocked_ms or 0.0 for call in waiting)
        share = share_of_step(facts, wait)
        if not waiting or share < THRESHOLDS.measured:
            continue
        step = facts.profile.step_ms.median
        findings.append(
            measured(
                NAME,
                facts,
                key,
                f"The host waits {fmt.duration(wait)} of {fmt.duration(step)} ({fmt.share(share)}) "
                "for this copy to the GPU and the work queued before it, though the memory is "
                "pinned: non_blocking=True lets it go on.",
                {
                    "wait_ms": wait,
                    "wait_share": share,
                    "copies": sum(call.copied("HtoD") for call in waiting),
                },
                bounded_by_idle(facts, wait),
                BOUND,
            )
        )
    return tuple(findings)


def _waits_for_pinned(call: Call) -> bool:
    uploads = [copy for copy in call.copies if copy.direction == "HtoD"]
    pinned = bool(uploads) and all(copy.pageable is False for copy in uploads)
    return call.name in _COPIES and pinned and bool(call.blocked_ms)


RULE = Rule(
    name=NAME,
    title="The host waits for a copy to the device",
    evaluate=evaluate,
    eases=Eases.HOST,
)
