"""What all rules ask before they speak, and how they speak of a place in the source.

Advice is given only where it can move what bounds the step, so:

* on an accelerator that never waits for the host, advice for the host is silent (``closed``);
* on a line bound by memory traffic, advice for faster arithmetic is (``memory_bound``);
* what takes or saves under 3 % of the step is not spoken of (``negligible``, ``too_small``);
* a rule whose evidence was not measured abstains, and the log says why (``abstain``);
* what only a GPU would show is, on a machine without one, a hint that says that it was not
  measured (``unmeasured``).
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping

from stepscope.attribution.model import LineKey
from stepscope.diagnosis import source
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.finding import Finding, Related, Severity
from stepscope.diagnosis.rule import Eases, Rule

log = logging.getLogger(__name__)

NEGLIGIBLE_SHARE = 0.03
"""Under 3 % of the step nothing is said: that much is also the spread between two runs, so whoever
acted on the advice could not see that it helped."""

WARNING_SHARE = 0.10


def share_of_step(facts: Facts, ms: float) -> float:
    """``ms`` per step as a share of the clean step; 0 where the step took no time."""
    step = facts.profile.step_ms.median
    return ms / step if step > 0 else 0.0


def average_step_ms(facts: Facts) -> float:
    """What a step takes with its part of what happens only now and then, ms.

    The median step has no beginning of an epoch in it, and mostly no pause.
    """
    step = facts.profile.step_ms
    return max(step.median, step.mean or 0.0)


def share_of_average(facts: Facts, ms: float) -> float:
    """``ms`` per step, on average, as a share of the average step; 0 where that took no time."""
    step = average_step_ms(facts)
    return ms / step if step > 0 else 0.0


def negligible(facts: Facts, ms: float) -> bool:
    """Whether ``ms`` per step is too little to speak of."""
    return share_of_step(facts, ms) < NEGLIGIBLE_SHARE


def device_idle_ms(facts: Facts) -> float | None:
    """Time per step in which the accelerator has nothing to do, ms; None without one."""
    if facts.machine.device == "cpu":
        return None
    profile = facts.profile
    busy = sum(line.work_ms for line in profile.lines) + profile.unattributed.work_ms
    return max(0.0, profile.step_ms.median - busy)


def closed(rule: Rule, facts: Facts) -> str | None:
    """Why no advice of this rule's kind can shorten the step; None where it can."""
    if rule.eases is Eases.HOST:
        idle = device_idle_ms(facts)
        if idle is not None and negligible(facts, idle):
            return "the device is busy for the whole step, so nothing on the host shortens it"
    return None


def too_small(facts: Facts, finding: Finding) -> bool:
    """Whether the finding itself says that next to nothing can be saved."""
    return finding.gain_ms is not None and negligible(facts, finding.gain_ms[1])


def memory_bound(facts: Facts, key: LineKey) -> bool:
    """Whether the line's work is bound by memory traffic: faster arithmetic cannot help it."""
    return any(line.key == key and line.regime == "memory" for line in facts.profile.lines)


def severity_of(facts: Facts, saved_ms: float) -> Severity:
    """By what could be saved at best, ms per step: a warning from a tenth of the step on.

    That is more than the spread of one run, so whoever follows the advice sees that it helped.
    """
    large = share_of_step(facts, saved_ms) >= WARNING_SHARE
    return Severity.WARNING if large else Severity.INFORMATION


def measured(
    rule: str,
    facts: Facts,
    key: LineKey,
    message: str,
    evidence: Mapping[str, float | int | str],
    gain_ms: tuple[float, float] | None = None,
    gain_source: str = "",
    severity: Severity | None = None,
    end_line: int | None = None,
    related: Iterable[Related] = (),
) -> Finding:
    """A finding of what was measured, which underlines the statement at ``key``.

    Unless ``severity`` says otherwise it is as important as what could be saved at best.
    """
    if severity is None:
        severity = severity_of(facts, gain_ms[1]) if gain_ms else Severity.INFORMATION
    return Finding(
        rule=rule,
        file=key[0],
        line=key[1],
        end_line=end_line or last_line(facts, key),
        severity=severity,
        message=message,
        evidence=evidence,
        gain_ms=gain_ms,
        gain_source=gain_source,
        # What stands on the finding's own line is said already.
        related=tuple(each for each in related if (each.file, each.line) != key),
    )


def unmeasured(
    rule: str,
    facts: Facts,
    key: LineKey,
    message: str,
    evidence: Mapping[str, float | int | str],
    related: Iterable[Related] = (),
) -> Finding:
    """A hint about a GPU from a run without one. It says so, and promises no gain."""
    message = f"{message} Not measured: no GPU in this run."
    return measured(rule, facts, key, message, evidence, severity=Severity.HINT, related=related)


def abstain(rule: str, reason: str) -> tuple[()]:
    """No finding, because the evidence is missing; the reason goes to the log."""
    log.debug("%s abstains: %s", rule, reason)
    return ()


def silent(rule: str, reason: str) -> tuple[()]:
    """No finding, because the evidence is there and speaks against one."""
    log.debug("%s is silent: %s", rule, reason)
    return ()


def last_line(facts: Facts, key: LineKey) -> int:
    """Last line of the statement at ``key``, for underlining; the line itself if unknown."""
    file, line = key
    parsed = source.parse(facts.profile.sources.get(file, ""))
    return parsed.last_line_of_statement(line) if parsed else line
