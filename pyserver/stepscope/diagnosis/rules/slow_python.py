"""slow-python: a line of plain Python takes a large part of the step."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.diagnosis import source
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.host import Host, PythonLine
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import abstain, share_of_step, silent
from stepscope.diagnosis.rule import Eases, Rule
from stepscope.diagnosis.saying import Gain, found, of_step

NAME = "slow-python"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From when on it is worth a word.

    ``share`` of the step on one line. ``operators`` that the line runs itself: between operators
    the time is that of torch's own Python (modules, dispatch), so there may be none, or a few
    beside a loop that stands on the line.
    """

    share: float = 0.10
    operators: float = 0.5
    beside_loop: float = 3.0


THRESHOLDS = Thresholds()

_LOOPS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_NOT_PYTHON = frozenset(
    ("backward", "step", "synchronize", "item", "zero_grad", "clip_grad_norm_", "clip_grad_value_")
)


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """At most two findings, the lines that take longest."""
    host = facts.measured(Host)
    if host is None:
        return abstain(NAME, "Python's time was not measured")
    idle = {one.line: one.idle_ms for one in host.idle}
    findings: list[Finding] = []
    for line in host.python:
        ms = line.python_ms
        if facts.machine.device != "cpu":
            # Python beside a busy device costs nothing.
            ms = min(ms, idle.get(line.line, 0.0))
        if share_of_step(facts, ms) < THRESHOLDS.share:
            continue
        if _is_torchs(facts, line):
            silent(NAME, f"the time of line {line.line[1]} is that of torch's own Python")
            continue
        findings += found(
            NAME,
            facts,
            line.line,
            f"Plain Python on this line takes {of_step(facts, ms)}, outside every operator of "
            f"PyTorch{_times(facts, line)}.",
            {
                "python_ms": ms,
                "share": share_of_step(facts, ms),
                "operators": line.operators,
            },
            Gain(0.0, ms, "All of the line's own Python."),
        )
    return tuple(findings[:2])


def _times(facts: Facts, line: PythonLine) -> str:
    calls = next((one.calls for one in facts.profile.lines if one.key == line.line), 1.0)
    return f" (it runs {fmt.count(calls)} times per step)" if calls >= 2 else ""


def _is_torchs(facts: Facts, line: PythonLine) -> bool:
    """Whether the time is that of operators' dispatch, a backward pass, an optimizer or a wait."""
    parsed = source.parse(facts.profile.sources.get(line.line[0], ""))
    place = parsed.place_at(line.line[1]) if parsed else None
    if place is None:
        return True
    parts = [node for part in source.header(place.statement) for node in ast.walk(part)]
    loops = any(isinstance(node, _LOOPS) for node in parts)
    if line.operators > (THRESHOLDS.beside_loop if loops else THRESHOLDS.operators):
        return True
    return any(
        isinstance(node, ast.Call)
        and source.dotted_name(node.func).rpartition(".")[2] in _NOT_PYTHON
        for node in parts
    )


RULE = Rule(
    name=NAME,
    title="Plain Python takes a large part of the step",
    evaluate=evaluate,
    advice="Do it once before the loop, in a worker, or as operators on whole tensors",
    eases=Eases.HOST,
    general=True,
)
