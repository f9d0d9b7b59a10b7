"""Runs every rule over the facts of one run.

A rule is a module in ``rules/`` with a ``RULE``; nothing lists them. A rule that fails is reported
and stops no other.
"""

from __future__ import annotations

import logging
import pkgutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path

from stepscope.diagnosis import rules as rules_package
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.finding import Finding, Severity
from stepscope.diagnosis.gates import closed, too_small
from stepscope.diagnosis.ignoring import is_ignored, unknown_rules
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.severities import RuleSettings

log = logging.getLogger(__name__)

_ORDER = {Severity.WARNING: 0, Severity.INFORMATION: 1, Severity.HINT: 2}


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Findings, the most important first, and notes for the reader about the diagnosis itself."""

    findings: tuple[Finding, ...]
    notes: tuple[str, ...] = ()


def diagnose(facts: Facts, settings: RuleSettings | None = None) -> Diagnosis:
    """What the rules find in ``facts``, as far as the person wants to know it."""
    return run_rules(discover_rules(), facts, settings)


@cache
def discover_rules() -> tuple[Rule, ...]:
    """All rules, by name. Raises ``ValueError`` where two modules claim one name."""
    found: list[Rule] = []
    for module_info in pkgutil.iter_modules(rules_package.__path__, f"{rules_package.__name__}."):
        rule = getattr(import_module(module_info.name), "RULE", None)
        if rule is not None:
            if not isinstance(rule, Rule):
                raise TypeError(f"RULE in {module_info.name} is not a Rule")
            found.append(rule)
    return in_order(found)


def in_order(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """``rules`` sorted by name. Raises ``ValueError`` for a name used twice."""
    ordered = sorted(rules, key=lambda rule: rule.name)
    for one, next_one in pairwise(ordered):
        if one.name == next_one.name:
            raise ValueError(f"two rules are named {one.name!r}")
    return tuple(ordered)


def run_rules(
    rules: Iterable[Rule], facts: Facts, settings: RuleSettings | None = None
) -> Diagnosis:
    """What ``rules`` find; one finding per rule and line, the more important one."""
    settings = settings or RuleSettings()
    rules = tuple(rules)
    findings: list[Finding] = []
    notes = [
        f"The facts {name!r} could not be prepared, so rules that need them say nothing; the log "
        "has the reason."
        for name in facts.failed
    ]
    for rule in rules:
        if settings.is_off(rule.name):
            log.debug("%s is off", rule.name)
            continue
        reason = closed(rule, facts)
        if reason is not None:
            log.debug("%s is silent: %s", rule.name, reason)
            continue
        try:
            found = rule.evaluate(facts)
        except Exception:
            # A report without one rule's hints is worth more than no report.
            log.exception("rule %s failed", rule.name)
            notes.append(f"The rule {rule.name!r} failed and was left out; the log has the reason.")
            continue
        findings += (finding for finding in found if _worth_saying(finding, facts))
    findings = _without_general(findings, {rule.name for rule in rules if rule.general})
    unique: dict[tuple[str, str, int], Finding] = {}
    for finding in sorted(findings, key=_importance):
        unique.setdefault((finding.rule, finding.file, finding.line), finding)
    wanted = (settings.apply(finding) for finding in unique.values())
    ordered = sorted((finding for finding in wanted if finding is not None), key=_importance)
    return Diagnosis(tuple(ordered), (*notes, *_misspelled(rules, facts)))


def _without_general(findings: list[Finding], general: set[str]) -> list[Finding]:
    """One cause is told once: by the rule that knows it, not by one that only sees the time."""
    told = {
        (finding.file, finding.line)
        for finding in findings
        if finding.rule not in general and finding.severity is not Severity.HINT
    }
    return [
        finding
        for finding in findings
        if finding.rule not in general or (finding.file, finding.line) not in told
    ]


def _worth_saying(finding: Finding, facts: Facts) -> bool:
    if too_small(facts, finding):
        log.debug("%s is silent on line %d: it saves too little", finding.rule, finding.line)
        return False
    text = facts.profile.sources.get(finding.file, "")
    last = max(finding.line, finding.end_line)
    if is_ignored(text, finding.rule, finding.line, last):
        log.debug("%s is silent on line %d: a comment says so", finding.rule, finding.line)
        return False
    return True


def _misspelled(rules: Iterable[Rule], facts: Facts) -> Iterator[str]:
    """What the reader must know about comments that silence nothing."""
    names = [rule.name for rule in rules]
    for file, text in facts.profile.sources.items():
        for line, name in unknown_rules(text, names):
            log.warning("%s:%d: no rule is named %r", file, line, name)
            yield (
                f"{Path(file).name}:{line}: no rule is named {name!r}, so the comment there "
                "ignores nothing of that name."
            )


def _importance(finding: Finding) -> tuple[int, float, str, int, str]:
    highest_gain = finding.gain_ms[1] if finding.gain_ms else 0.0
    order = _ORDER[finding.severity]
    return (order, -highest_gain, finding.file, finding.line, finding.rule)
