"""One rule's evidence and what it must say of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from stepscope.diagnosis.engine import discover_rules, run_rules
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.finding import Finding, Severity


@dataclass(frozen=True)
class Case:
    """``fires`` must give one finding on ``line``; neither ``silent`` nor ``abstains`` any."""

    rule: str
    line: int
    severity: Severity
    fires: Facts
    silent: tuple[Facts, ...]
    abstains: tuple[Facts, ...]
    gain: tuple[float, float] | None = None
    also: tuple[Facts, ...] = field(default=())  # other evidence that must fire


def findings(rule: str, facts: Facts) -> tuple[Finding, ...]:
    """What the engine says with that rule alone, its gates included."""
    (known,) = [one for one in discover_rules() if one.name == rule]
    made = run_rules((known,), facts)
    assert made.notes == ()
    return made.findings
