"""A finding's evidence and gain in words. Units come from the names: ``wait_ms``, ``share``."""

from __future__ import annotations

from stepscope import format as fmt
from stepscope.attribution.model import Profile
from stepscope.diagnosis.finding import Finding
from stepscope.report.display import step_share


def describe_evidence(finding: Finding) -> list[tuple[str, str]]:
    """(what was measured, its value) for each piece of evidence, in the rule's own order."""
    return [_describe(name, value) for name, value in finding.evidence.items()]


def describe_gain(finding: Finding, profile: Profile) -> str:
    """What the fix would save at least and at most, and why; ``""`` where unknown."""
    if finding.gain_ms is None:
        return ""
    low, high = finding.gain_ms
    if high <= 0:
        return ""
    share = fmt.share(step_share(profile, high))
    if fmt.duration(low) == fmt.duration(high):
        saved = f"Would save about {fmt.duration(high)} per step ({share} of it)."
    elif low <= 0:
        saved = f"Would save up to {fmt.duration(high)} per step ({share} of it)."
    else:
        between = f"{fmt.duration(low)} to {fmt.duration(high)}"
        saved = f"Would save {between} per step (up to {share} of it)."
    return f"{saved} {finding.gain_source}".rstrip()


def _describe(name: str, value: float | int | str) -> tuple[str, str]:
    words = name.split("_")
    if isinstance(value, str):
        return " ".join(words), value
    unit = words[-1]
    if unit == "ms":
        return " ".join(words[:-1]) or "time", fmt.duration(value)
    if unit == "bytes":
        return " ".join(words[:-1]) or "size", fmt.size(value)
    if "share" in words:
        return " ".join(words), fmt.share(value)
    if unit == "ratio":
        return " ".join(words[:-1]) or "ratio", fmt.ratio(value)
    return " ".join(words), fmt.count(value)
