"""What all rules ask before they speak, and how they speak of a place in the source."""

from __future__ import annotations

import logging

from stepscope.attribution.model import LineKey
from stepscope.diagnosis import source
from stepscope.diagnosis.facts import Facts

log = logging.getLogger(__name__)

NEGLIGIBLE_SHARE = 0.03
"""Under 3 % of the step nothing is said: that much is also the spread between two runs, so whoever
acted on the advice could not see that it helped."""


def share_of_step(facts: Facts, ms: float) -> float:
    """``ms`` per step as a share of the clean step; 0 where the step took no time."""
    step = facts.profile.step_ms.median
    return ms / step if step > 0 else 0.0


def negligible(facts: Facts, ms: float) -> bool:
    """Whether ``ms`` per step is too little to speak of."""
    return share_of_step(facts, ms) < NEGLIGIBLE_SHARE


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
