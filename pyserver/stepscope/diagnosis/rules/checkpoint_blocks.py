"""checkpoint-blocks: activations of a repeated block fill the device; recomputing would free them.

It costs a second forward pass, so only where memory is short.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.attribution.model import LineKey
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.memory import Memory
from stepscope.diagnosis.finding import Finding, Severity
from stepscope.diagnosis.gates import abstain, silent
from stepscope.diagnosis.pressure import PRESSURE, pressure
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.source import Place
from stepscope.diagnosis.statements import executed, finding_at

NAME = "checkpoint-blocks"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When it is worth a word.

    ``pressure``: the peak's share of the device's memory. ``activations``: their share of the
    peak; below one half, optimizer and weights are the larger part. ``repeats``: passes per step
    of the block's line; with fewer than three there is little to keep apart.
    """

    pressure: float = PRESSURE
    activations: float = 0.50
    repeats: float = 3.0


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """At most one finding: the statement in a loop over blocks that runs one of them."""
    memory, profile = facts.measured(Memory), facts.profile.memory
    share = pressure(memory) if memory is not None else None
    if memory is None or profile is None or profile.categories is None or share is None:
        return abstain(NAME, "the device's memory, or what it is for, is not known")
    activations = profile.categories.activation
    if share < THRESHOLDS.pressure:
        return silent(NAME, f"the peak is {share:.3f} of the device's memory")
    if activations < THRESHOLDS.activations * memory.peak_bytes:
        return silent(NAME, "activations are the smaller part of the peak")
    calls = {cost.key: cost.calls for cost in facts.profile.lines}
    found: list[tuple[float, LineKey]] = []
    for key, place in executed(facts):
        if runs_block(place):
            found.append((calls.get(key, 0.0), key))
    repeats, key = max(found, default=(0.0, ("", 0)))
    if repeats < THRESHOLDS.repeats:
        return silent(NAME, "no line runs one block after the other")
    message = (
        f"Activations are {fmt.size(activations)} of the {fmt.size(memory.peak_bytes)} peak "
        f"({fmt.share(activations / memory.peak_bytes)}), which is {fmt.share(share)} of the "
        f"device's memory, and this line runs {fmt.count(repeats)} blocks per step: checkpointing "
        "keeps only their inputs, for about a fifth more time."
    )
    evidence: dict[str, float | int | str] = {
        "activation_bytes": activations,
        "peak_bytes": memory.peak_bytes,
        "share_of_device": share,
        "repeats": repeats,
    }
    return (finding_at(facts, NAME, key, Severity.INFORMATION, message, evidence),)


def runs_block(place: Place) -> bool:
    """``for block in blocks: x = block(x)``, not yet checkpointed."""
    loop = place.parents[-1] if place.parents else None
    statement = place.statement
    return (
        isinstance(loop, ast.For)
        and isinstance(statement, ast.Assign)
        and isinstance(statement.value, ast.Call)
        and isinstance(statement.value.func, ast.Name)
        and statement.value.func.id
        in {part.id for part in ast.walk(loop.target) if isinstance(part, ast.Name)}
    )


RULE = Rule(name=NAME, title="Activations that could be recomputed", evaluate=evaluate)
