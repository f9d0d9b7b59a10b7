"""What the agent saw of modules and settings -> ``Models``."""

from __future__ import annotations

from stepscope.attribution.attribute import Attributed
from stepscope.diagnosis.facts.models import Models

_TRAINING_SIGNS = ("autograd::engine::", "Optimizer.step#")


def prepare(attributed: Attributed) -> Models | None:
    """None where the run told nothing of its modules."""
    timeline = attributed.ledgers.timeline
    told = timeline.facts.get("evidence", {}).get("models")
    if told is None:
        return None
    trains = any(text.startswith(_TRAINING_SIGNS) for text in timeline.strings)
    values = dict(told, data_parallel=tuple(told["data_parallel"]))
    return Models(**values, trains=trains)
