"""Collections of the clean pass -> ``Garbage``."""

from __future__ import annotations

from stepscope.attribution.attribute import Attributed
from stepscope.diagnosis.facts.garbage import Garbage

_OLDEST = 2


def prepare(attributed: Attributed) -> Garbage | None:
    """None where there was no clean pass or nobody listened."""
    timeline = attributed.ledgers.timeline
    told = timeline.facts.get("evidence", {}).get("garbage")
    if told is None or not timeline.facts["clean_ns"]:
        return None
    steps = len(timeline.facts["clean_ns"])
    lengths = [(end - begin) / 1e6 for begin, end, _ in told]
    full = [(end - begin) / 1e6 for begin, end, generation in told if generation == _OLDEST]
    return Garbage(
        per_step_ms=sum(lengths) / steps,
        longest_ms=max(lengths, default=0.0),
        collections=len(lengths),
        full=len(full),
        full_ms=sum(full) / steps,
        steps=steps,
    )
