"""Put a profile, its findings and their edits together into a report."""

from __future__ import annotations

from collections.abc import Iterable

from stepscope.attribution.model import Profile
from stepscope.diagnosis.finding import Finding, Severity
from stepscope.diagnosis.verdict import Verdict
from stepscope.fixes.model import Fix
from stepscope.report.model import Hint, Report

_ORDER = {Severity.WARNING: 0, Severity.INFORMATION: 1, Severity.HINT: 2}


def build_report(
    profile: Profile,
    findings: Iterable[tuple[Finding, Fix | None]],
    verdict: Verdict | None = None,
) -> Report:
    """The report of one run, its hints in reading order: what matters most first."""
    hints = [Hint(finding, fix) for finding, fix in findings]
    hints.sort(key=_importance)
    return Report(profile=profile, hints=tuple(hints), verdict=verdict)


def _importance(hint: Hint) -> tuple[int, float, str, int]:
    finding = hint.finding
    highest_gain = finding.gain_ms[1] if finding.gain_ms else 0.0
    return (_ORDER[finding.severity], -highest_gain, finding.file, finding.line)
