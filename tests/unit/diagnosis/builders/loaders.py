"""DataLoaders."""

from __future__ import annotations

from typing import Any

from stepscope.diagnosis.facts.loaders import LoaderFacts, Loaders
from tests.factories import TARGET
from tests.unit.diagnosis.builders import FORWARD, LOOP


def loader(**fields: Any) -> LoaderFacts:
    """A loader without workers that the 30 ms step waits 15 ms for."""
    values: dict[str, Any] = {
        "construct": (TARGET, FORWARD),
        "loop": (TARGET, LOOP),
        "num_workers": 0,
        "batch_size": 32,
        "wait_ms": 15.0,
        "fetch_cpu_ms": 15.0,
        "batches_per_step": 1.0,
        "persistent_workers": False,
        "pin_memory": False,
    } | fields
    return LoaderFacts(**values)


def loaders(*every: LoaderFacts) -> Loaders:
    """The loaders that the step reads."""
    return Loaders(every)
