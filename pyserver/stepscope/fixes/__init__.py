"""A finding -> an edit of the user's source, computed anew against the text as it is now.

A fixer is a module here with ``RULE`` (the rule's name) and ``fix(finding, source, line)``;
nothing lists them. A rule without one gives its ``advice``.
"""

from __future__ import annotations

import logging
import pkgutil
from collections.abc import Callable
from functools import cache
from importlib import import_module

from stepscope.diagnosis.engine import discover_rules
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.source import Source, parse
from stepscope.fixes.edits import apply_edits
from stepscope.fixes.model import Fix

__all__ = ["apply_edits", "discover_fixers", "fix_for"]

log = logging.getLogger(__name__)

Fixer = Callable[[Finding, Source, int], Fix | None]


def fix_for(finding: Finding, source: str, line: int) -> Fix | None:
    """The edit, or the advice in words, that acts on ``finding``, now on ``line`` of ``source``.

    None where the source does not parse (it is being typed), where the line no longer holds what
    the finding is about, and where the edit has been made already.
    """
    parsed = parse(source)
    if parsed is None or not 1 <= line <= len(parsed.lines):
        return None
    fixer = discover_fixers().get(finding.rule)
    if fixer is None:
        return _advice(finding.rule)
    fix = fixer(finding, parsed, line)
    if fix is not None and fix.edits and parse(apply_edits(source, fix.edits)) is None:
        # The last line of defence: nobody's file may be broken by a click.
        log.error("the fix of %s on line %d does not parse", finding.rule, line)
        return Fix(fix.title, ())
    return fix


def _advice(name: str) -> Fix | None:
    for rule in discover_rules():
        if rule.name == name and rule.advice:
            return Fix(rule.advice, ())
    return None


@cache
def discover_fixers() -> dict[str, Fixer]:
    """Fixers by the rule's name. Raises ``ValueError`` where two claim one rule."""
    found: dict[str, Fixer] = {}
    for module_info in pkgutil.iter_modules(__path__, f"{__name__}."):
        module = import_module(module_info.name)
        rule = getattr(module, "RULE", None)
        if rule is None:
            continue
        if rule in found:
            raise ValueError(f"two fixers for {rule!r}")
        found[rule] = module.fix
    return found
