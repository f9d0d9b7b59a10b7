"""How a rule says what it found, and where in the source a setting is made."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.attribution.model import LineKey
from stepscope.diagnosis import source
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.finding import Finding, Severity
from stepscope.diagnosis.gates import (
    average_step_ms,
    measured,
    severity_of,
    share_of_average,
    share_of_step,
)


@dataclass(frozen=True, slots=True)
class Gain:
    """What is saved per step at least and at most, ms, and where that comes from."""

    low: float
    high: float
    source: str


def found(
    rule: str,
    facts: Facts,
    key: LineKey,
    message: str,
    evidence: Mapping[str, float | int | str],
    gain: Gain | None = None,
    at_most: Severity = Severity.WARNING,
    end_line: int | None = None,
) -> tuple[Finding]:
    """One finding on ``key``, as important as its gain; ``at_most`` that of ``at_most``.

    Without a gain it is a piece of information.
    """
    severity = severity_of(facts, gain.high) if gain else Severity.INFORMATION
    if at_most is Severity.HINT or (
        at_most is Severity.INFORMATION and severity is Severity.WARNING
    ):
        severity = at_most
    gain_ms = (min(gain.low, gain.high), gain.high) if gain else None
    gain_source = gain.source if gain else ""
    return (
        measured(rule, facts, key, message, evidence, gain_ms, gain_source, severity, end_line),
    )


def of_step(facts: Facts, ms: float) -> str:
    """``3.0 ms of the 30.0 ms step (10 %)``."""
    step = fmt.duration(facts.profile.step_ms.median)
    return f"{fmt.duration(ms)} of the {step} step ({fmt.share(share_of_step(facts, ms))})"


def of_average(facts: Facts, ms: float) -> str:
    """``3.0 ms of the 30.0 ms that a step takes on average (10 %)``."""
    step = fmt.duration(average_step_ms(facts))
    share = fmt.share(share_of_average(facts, ms))
    return f"{fmt.duration(ms)} of the {step} that a step takes on average ({share})"


@dataclass(frozen=True, slots=True)
class Written:
    """A call in the user's source."""

    file: str
    call: ast.Call

    @property
    def key(self) -> LineKey:
        """The line on which it begins."""
        return (self.file, self.call.lineno)

    def keyword(self, name: str) -> ast.expr | None:
        """The value of that keyword, None if it is not given by name."""
        return next((k.value for k in self.call.keywords if k.arg == name), None)


def calls_of(facts: Facts, names: Iterable[str]) -> list[Written]:
    """Calls of what ends in one of ``names`` (``DataParallel``, ``nn.DataParallel``), in order."""
    wanted = frozenset(names)
    found_calls = []
    for file, text in sorted(facts.profile.sources.items()):
        parsed = source.parse(text)
        if parsed is None:
            continue
        mine = [
            Written(file, node)
            for node in ast.walk(parsed.tree)
            if isinstance(node, ast.Call)
            and source.dotted_name(node.func).rpartition(".")[2] in wanted
        ]
        found_calls += sorted(mine, key=lambda written: written.key)
    return found_calls
