"""float64: operators on float64, which are half as fast at best.

A tensor without dimensions does not count: a Python number next to a tensor is one of float64.

The finding stands where the source asks for float64, if there is one such place; the operators are
often elsewhere.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from stepscope import format as fmt
from stepscope.attribution.model import LineKey
from stepscope.diagnosis import source
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.precision import Precision
from stepscope.diagnosis.finding import Finding, Severity
from stepscope.diagnosis.gates import abstain, share_of_step, silent
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.statements import called, finding_at, written

NAME = "float64"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When it is worth a word.

    Shares of the step in float64 operators. ``cpu`` and ``gpu``: the part of their time that
    float32 saves at best. A processor's registers and its memory hold twice as many float32; of a
    GPU's units for float64 there are as few as one to 64 of float32.
    """

    information: float = 0.05
    warning: float = 0.20
    cpu: float = 0.75
    gpu: float = 63 / 64


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """At most one finding."""
    precision = facts.measured(Precision)
    if precision is None:
        return abstain(NAME, "dtypes were not measured")
    by_line: dict[LineKey, float] = defaultdict(float)
    for work in precision.work:
        if any(
            dtype == "float64" and shape
            for dtype, shape in zip(work.dtypes, work.shapes, strict=True)
        ):
            by_line[work.line] += work.ms
    ms = sum(by_line.values())
    share = share_of_step(facts, ms)
    if share < THRESHOLDS.information:
        return silent(NAME, f"float64 operators take {share:.3f} of the step")
    most = max(by_line, key=lambda line: by_line[line])
    places = written(facts, asks_for_float64)
    key = places[0] if len(places) == 1 else most
    message = (
        f"Operators on float64 take {fmt.duration(ms)} of the "
        f"{fmt.duration(facts.profile.step_ms.median)} step ({fmt.share(share)}), most of it on "
        f"line {most[1]} of {Path(most[0]).name}: float32 is at least twice as fast, and what "
        "models are usually trained in."
    )
    severity = Severity.WARNING if share >= THRESHOLDS.warning else Severity.INFORMATION
    saved = THRESHOLDS.cpu if facts.machine.device == "cpu" else THRESHOLDS.gpu
    evidence: dict[str, float | int | str] = {
        "float64_ms": ms,
        "share": share,
        "line": most[1],
        "places": len(places),
    }
    return (finding_at(facts, NAME, key, severity, message, evidence, (0.0, ms * saved)),)


def asks_for_float64(node: ast.AST) -> bool:
    """``torch.float64``, ``torch.double``, ``x.double()``."""
    if isinstance(node, ast.Attribute):
        return source.dotted_name(node) in ("torch.float64", "torch.double")
    return called(node) == "double" and isinstance(node, ast.Call) and not node.args


RULE = Rule(name=NAME, title="Operators on float64", evaluate=evaluate)
