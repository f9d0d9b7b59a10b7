"""anomaly-mode: autograd checks every gradient and keeps the stack of every operator."""

from __future__ import annotations

import ast

from stepscope import format as fmt
from stepscope.attribution.model import LineKey
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.patterns import Patterns
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import abstain, share_of_step, silent
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.saying import Gain, calls_of, found, of_step

NAME = "anomaly-mode"


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding, where the mode is switched on."""
    patterns = facts.measured(Patterns)
    if patterns is None:
        return abstain(NAME, "operators were not recorded")
    if not patterns.anomaly_checks:
        return silent(NAME, "no check was recorded")
    key = _switch(facts)
    if key is None:
        return abstain(NAME, "the line that switches it on is not in the sources")
    # The stacks are written down inside the forward operators, at most all of their time.
    forward = sum(line.forward_ms for line in facts.profile.lines)
    high = min(facts.profile.step_ms.median, patterns.anomaly_ms + forward)
    return found(
        NAME,
        facts,
        key,
        f"Anomaly mode is on: after each of {fmt.count(patterns.anomaly_checks)} backward nodes "
        f"autograd looks for NaN, in {of_step(facts, patterns.anomaly_ms)}, and it keeps the stack "
        "of every forward operator besides.",
        {
            "checks_ms": patterns.anomaly_ms,
            "share": share_of_step(facts, patterns.anomaly_ms),
            "checks": patterns.anomaly_checks,
        },
        Gain(
            patterns.anomaly_ms,
            high,
            "The checks at least; at most the forward operators' time as well, in which the "
            "stacks are kept.",
        ),
    )


def _switch(facts: Facts) -> LineKey | None:
    for written in calls_of(facts, ("set_detect_anomaly", "detect_anomaly")):
        mode = written.call.args[0] if written.call.args else written.keyword("mode")
        if isinstance(mode, ast.Constant) and mode.value is False:
            continue
        return written.key
    return None


RULE = Rule(name=NAME, title="Autograd's anomaly mode is on", evaluate=evaluate)
