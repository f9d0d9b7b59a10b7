"""cast-churn: a line that spends its time converting between floating-point types."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.attribution.model import LineKey
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.precision import FLOATS, Precision, TypedWork
from stepscope.diagnosis.finding import Finding, Severity
from stepscope.diagnosis.gates import abstain, share_of_step, silent
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.statements import finding_at

NAME = "cast-churn"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Shares of the step spent on one line's conversions.

    Autocast converts each weight once a step and each input once a product, which is a few per
    cent of a step that it makes faster. Above 10 % conversions eat what half precision gains.
    """

    information: float = 0.10
    warning: float = 0.20


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding per line."""
    precision = facts.measured(Precision)
    if precision is None:
        return abstain(NAME, "dtypes were not measured")
    casts: dict[LineKey, list[TypedWork]] = defaultdict(list)
    for work in precision.work:
        if is_cast(work):
            casts[work.line].append(work)
    findings: list[Finding] = []
    for line, found in sorted(casts.items()):
        ms = sum(work.ms for work in found)
        share = share_of_step(facts, ms)
        if share < THRESHOLDS.information:
            silent(NAME, f"{share:.3f} of the step on line {line[1]}")
            continue
        ways: Counter[str] = Counter()
        for work in found:
            ways[f"{work.dtypes[1]} to {work.dtypes[0]}"] += round(work.ms * 1e6)
        way = ways.most_common(1)[0][0]
        message = (
            f"Converting from {way} takes {fmt.duration(ms)} of the "
            f"{fmt.duration(facts.profile.step_ms.median)} step ({fmt.share(share)}) on this line: "
            "convert once, before the loop or where the value is made, and keep that type."
        )
        severity = Severity.WARNING if share >= THRESHOLDS.warning else Severity.INFORMATION
        evidence: dict[str, float | int | str] = {"cast_ms": ms, "share": share, "cast": way}
        # At worst the value has to be converted somewhere else as often.
        findings.append(finding_at(facts, NAME, line, severity, message, evidence, (0.0, ms)))
    return tuple(findings)


def is_cast(work: TypedWork) -> bool:
    """A copy (target, source) between two floating-point types."""
    if work.operator != "aten::copy_" or len(work.dtypes) < 2:
        return False
    target, origin = work.dtypes[:2]
    return target != origin and target in FLOATS and origin in FLOATS


RULE = Rule(
    name=NAME,
    title="Time spent converting between floating-point types",
    evaluate=evaluate,
    advice="Convert once: keep the weights or the data in the type that this line computes in",
)
