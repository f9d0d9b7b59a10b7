"""Runs every rule over the facts of one run.

A rule is a module in ``rules/`` with a ``RULE``; nothing lists them. A rule that fails is reported
and stops no other.
"""

from __future__ import annotations

import logging
import pkgutil
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import pairwise

from stepscope.diagnosis import rules as rules_package
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.finding import Finding, Severity
from stepscope.diagnosis.rule import Rule

log = logging.getLogger(__name__)

_ORDER = {Severity.WARNING: 0, Severity.INFORMATION: 1, Severity.HINT: 2}


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Findings, the most important first, and notes for the reader about the diagnosis itself."""

    findings: tuple[Finding, ...]
    notes: tuple[str, ...] = ()


def diagnose(facts: Facts, disabled: frozenset[str] = frozenset()) -> Diagnosis:
    """What every rule that is not ``disabled`` (by name) finds in ``facts``."""
    return run_rules(discover_rules(), facts, disabled)


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


def run_rules(rules: Iterable[Rule], facts: Facts, disabled: frozenset[str]) -> Diagnosis:
    """What ``rules`` find; one finding per rule and line, the more important one."""
    findings: list[Finding] = []
    notes = [
        f"The facts {name!r} could not be prepared, so rules that need them say nothing; the log "
        "has the reason."
        for name in facts.failed
    ]
    for rule in rules:
        if rule.name in disabled:
            log.debug("%s is disabled", rule.name)
            continue
        try:
            findings += rule.evaluate(facts)
        except Exception:
            # A report without one rule's hints is worth more than no report.
            log.exception("rule %s failed", rule.name)
            notes.append(f"The rule {rule.name!r} failed and was left out; the log has the reason.")
    unique: dict[tuple[str, str, int], Finding] = {}
    for finding in sorted(findings, key=_importance):
        unique.setdefault((finding.rule, finding.file, finding.line), finding)
    return Diagnosis(tuple(unique.values()), tuple(notes))


def _importance(finding: Finding) -> tuple[int, float, str, int, str]:
    highest_gain = finding.gain_ms[1] if finding.gain_ms else 0.0
    order = _ORDER[finding.severity]
    return (order, -highest_gain, finding.file, finding.line, finding.rule)
