"""cpu-made-tensor: a tensor is filled on the host and then copied, though the device could fill it.

On a machine without an accelerator the copy does not happen; there the line is a hint if it spells
both, the factory and the copy.
"""

from __future__ import annotations

from stepscope import format as fmt
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.calls import Call, Calls
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import (
    NEGLIGIBLE_SHARE,
    abstain,
    measured,
    share_of_step,
    silent,
    unmeasured,
)
from stepscope.diagnosis.rule import Eases, Rule
from stepscope.diagnosis.spelled import calls_on, copied_factories
from stepscope.diagnosis.waits import bounded_by_idle

NAME = "cpu-made-tensor"
_FACTORIES = frozenset(
    f"aten::{name}"
    for name in ("zeros", "ones", "full", "arange", "linspace", "eye", "rand", "randn", "randint")
)


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding per line that makes a tensor and copies it."""
    calls = facts.measured(Calls)
    if calls is None:
        return abstain(NAME, "operators were not recorded")
    findings: list[Finding] = []
    for key, on_line in calls.by_line():
        made = [call for call in on_line if call.name in _FACTORIES]
        if not made:
            continue
        if facts.machine.device == "cpu":
            if copied_factories(calls_on(facts, key)):
                findings.append(
                    unmeasured(
                        NAME,
                        facts,
                        key,
                        "This tensor is filled on the host and then copied to the device; made "
                        "there (device=...) it needs no copy.",
                        {"per_step": sum(call.per_step for call in made)},
                    )
                )
            continue
        findings += _measured(facts, on_line, made)
    return tuple(findings)


def _measured(facts: Facts, on_line: list[Call], made: list[Call]) -> tuple[Finding, ...]:
    key = made[0].line
    filled = [call for call in made if not call.device_ms]  # on the host
    copied = [call for call in on_line if call.copied("HtoD")]
    spent = sum(call.host_ms for call in (*filled, *copied))
    share = share_of_step(facts, spent)
    if not filled or not copied or share < NEGLIGIBLE_SHARE:
        return silent(NAME, f"filling and copying take {share:.3f} of the step on line {key[1]}")
    step = facts.profile.step_ms.median
    return (
        measured(
            NAME,
            facts,
            key,
            f"This line spends {fmt.duration(spent)} of {fmt.duration(step)} ({fmt.share(share)}) "
            "filling a tensor on the host and copying it to the GPU; made there (device=...) it "
            "needs no copy.",
            {
                "spent_ms": spent,
                "share": share,
                "copies": sum(call.copied("HtoD") for call in copied),
            },
            bounded_by_idle(facts, spent),
            "At most the host's time for both, and at most the GPU's idle time.",
        ),
    )


RULE = Rule(
    name=NAME,
    title="A tensor is filled on the host and then copied",
    evaluate=evaluate,
    eases=Eases.HOST,
)
