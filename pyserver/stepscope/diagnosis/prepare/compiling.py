"""Dynamo's own books -> ``Compiling``."""

from __future__ import annotations

from stepscope.attribution.attribute import Attributed
from stepscope.diagnosis.facts.compiling import Compiling, GraphBreak, Recompile


def prepare(attributed: Attributed) -> Compiling | None:
    """None where nothing was compiled."""
    told = attributed.ledgers.timeline.facts.get("evidence", {}).get("compiling")
    if told is None:
        return None
    return Compiling(
        tuple(
            GraphBreak((entry["file"], entry["line"]), entry["reason"], entry["count"])
            for entry in told["breaks"]
        ),
        tuple(
            Recompile(
                (entry["file"], entry["line"]), entry["function"], entry["reason"], entry["count"]
            )
            for entry in told["recompiles"]
        ),
        told["limit"],
    )
