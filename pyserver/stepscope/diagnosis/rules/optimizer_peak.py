"""optimizer-peak: the step's peak is inside ``optimizer.step()``, by its own temporary tensors.

A foreach optimizer computes all parameters' updates at once, and so needs room for a copy of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.attribution.model import LineKey
from stepscope.diagnosis import source
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.memory import Memory
from stepscope.diagnosis.finding import Finding, Severity
from stepscope.diagnosis.gates import abstain, silent
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.statements import called, finding_at

NAME = "optimizer-peak"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When it is worth a word.

    Share of the peak in the optimizer's temporary tensors: 10 % is a batch that is larger by as
    much. ``warning``: a quarter.
    """

    information: float = 0.10
    warning: float = 0.25


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """At most one finding, where the optimizer is made, else where it steps."""
    memory, profile = facts.measured(Memory), facts.profile.memory
    if memory is None or profile is None or profile.peak_line is None:
        return abstain(NAME, "the line of the peak is not known")
    if not _steps(facts, profile.peak_line):
        return silent(NAME, "the peak is not inside an optimizer step")
    costs = {cost.key: cost.categories for cost in facts.profile.lines}
    parts = costs.get(profile.peak_line)
    if parts is None:
        return abstain(NAME, "what the optimizer's line holds was not measured")
    share = parts.temporary / max(1, memory.peak_bytes)
    if share < THRESHOLDS.information:
        return silent(NAME, f"temporary tensors are {share:.3f} of the peak")
    able = [one for one in memory.optimizers if one.can_fuse and not one.fused]
    if len(able) != 1:
        return silent(NAME, f"{len(able)} optimizers could be fused")
    (optimizer,) = able
    message = (
        f"The step's peak is inside {optimizer.name}'s step: {fmt.size(parts.temporary)} of its "
        f"{fmt.size(memory.peak_bytes)} ({fmt.share(share)}) are temporary tensors of the update; "
        "with fused=True it needs none."
    )
    evidence: dict[str, float | int | str] = {
        "temporary_bytes": parts.temporary,
        "peak_bytes": memory.peak_bytes,
        "share_of_peak": share,
        "parameter_bytes": optimizer.parameter_bytes,
        "optimizer": optimizer.name,
    }
    severity = Severity.WARNING if share >= THRESHOLDS.warning else Severity.INFORMATION
    key = optimizer.line or profile.peak_line
    return (finding_at(facts, NAME, key, severity, message, evidence),)


def _steps(facts: Facts, key: LineKey) -> bool:
    parsed = source.parse(facts.profile.sources.get(key[0], ""))
    place = parsed.place_at(key[1]) if parsed else None
    if place is None:
        return False
    return any(
        called(call) == "step"
        for part in source.header(place.statement)
        for call in source.calls(part)
    )


RULE = Rule(name=NAME, title="The peak is in the optimizer's own temporaries", evaluate=evaluate)
