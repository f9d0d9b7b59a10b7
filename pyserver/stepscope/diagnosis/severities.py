"""What a person says about rules: which are off, and how much each of them matters."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from stepscope.diagnosis.finding import Finding, Severity

OFF = "off"
LEVELS = (OFF, *(severity.value for severity in reversed(Severity)))
"""What a rule can be set to."""


@dataclass(frozen=True, slots=True)
class RuleSettings:
    """``levels`` maps a rule's name to one of ``LEVELS``; a rule that is not there is as it is."""

    levels: Mapping[str, str] = field(default_factory=dict)

    def is_off(self, rule: str) -> bool:
        """Whether the rule is not to run at all."""
        return self.levels.get(rule) == OFF

    def apply(self, finding: Finding) -> Finding | None:
        """The finding with the severity that is wanted; None where it is not wanted."""
        level = self.levels.get(finding.rule)
        if level == OFF:
            return None
        if level is None:
            return finding
        return dataclasses.replace(finding, severity=Severity(level))


def rule_settings(levels: Iterable[tuple[str, str]], off: Iterable[str] = ()) -> RuleSettings:
    """Settings from (rule, level) pairs, in which the later wins, and rules that are off anyway."""
    return RuleSettings(dict(levels) | dict.fromkeys(off, OFF))
