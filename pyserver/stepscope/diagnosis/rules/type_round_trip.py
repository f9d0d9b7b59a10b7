"""type-round-trip: a tensor goes to the host and back only to change its type.

``x.type(torch.LongTensor)`` means a type *on the host*; ``x.to(torch.long)`` stays where x is.
"""

from __future__ import annotations

from stepscope import format as fmt
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.calls import Calls
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
from stepscope.diagnosis.spelled import calls_on, host_types, lines_of_step
from stepscope.diagnosis.waits import bounded_by_idle

NAME = "type-round-trip"


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding per line: measured where it copies both ways, else where it spells one."""
    calls = facts.measured(Calls)
    if calls is None:
        return abstain(NAME, "operators were not recorded")
    findings: list[Finding] = []
    if facts.machine.device == "cpu":
        for line in lines_of_step(facts):
            if host_types(calls_on(facts, line.key)):
                findings.append(
                    unmeasured(
                        NAME,
                        facts,
                        line.key,
                        "A type like torch.LongTensor means memory of the host: from a GPU the "
                        "tensor is copied there. With a dtype (torch.long) it stays where it is.",
                        {"per_step": line.calls},
                    )
                )
        return tuple(findings)
    for key, on_line in calls.by_line():
        trip = [call for call in on_line if call.copied("DtoH") or call.copied("HtoD")]
        both = sum(c.copied("DtoH") for c in trip) and sum(c.copied("HtoD") for c in trip)
        spent = sum(call.host_ms for call in trip)
        share = share_of_step(facts, spent)
        if not both or share < NEGLIGIBLE_SHARE:
            silent(NAME, f"copies take {share:.3f} of the step on line {key[1]}")
            continue
        step = facts.profile.step_ms.median
        findings.append(
            measured(
                NAME,
                facts,
                key,
                f"This line copies a tensor to the host and back, {fmt.duration(spent)} of "
                f"{fmt.duration(step)} ({fmt.share(share)}). With a dtype (torch.long, not "
                "torch.LongTensor) and without .cpu() it stays on the GPU.",
                {
                    "copy_ms": spent,
                    "share": share,
                    "to_host": sum(call.copied("DtoH") for call in trip),
                    "to_device": sum(call.copied("HtoD") for call in trip),
                },
                bounded_by_idle(facts, spent),
                "At most the host's time in the copies, and at most the GPU's idle time.",
            )
        )
    return tuple(findings)


RULE = Rule(
    name=NAME,
    title="A tensor goes to the host and back",
    evaluate=evaluate,
    eases=Eases.HOST,
)
