"""Several processes."""

from __future__ import annotations

from typing import Any

from stepscope.diagnosis.facts.distributed import Distributed, Reduction, Replica
from stepscope.diagnosis.facts.ranks import RankFacts, Ranks
from tests.factories import TARGET
from tests.unit.diagnosis.builders import FORWARD, PRINT


def replica(**fields: Any) -> Replica:
    """A model in DDP, as it is by default."""
    values: dict[str, Any] = {
        "find_unused_parameters": False,
        "static_graph": False,
        "gradient_as_bucket_view": True,
        "gradient_bytes": 1000,
        "unused_bytes": 0,
        "buckets": 2,
    } | fields
    return Replica(**values)


def distributed(**fields: Any) -> Distributed:
    """Four processes on GPUs, with nothing to find."""
    values: dict[str, Any] = {
        "backend": "nccl",
        "size": 4,
        "replicas": (replica(),),
        "forwards": 1.0,
        "reductions": 2.0,
        "copies_ms": 0.0,
        "search_ms": 0.0,
        "exposed_ms": 0.0,
        "exposed_line": (TARGET, FORWARD),
        "own": (),
    } | fields
    return Distributed(**values)


def reduction(per_step: float = 1.0, host_ms: float = 3.0) -> Reduction:
    """A collective of the ``print`` line's own."""
    return Reduction((TARGET, PRINT), per_step, host_ms)


def ranks(*busy_ms: float, line: int | None = PRINT) -> Ranks:
    """One rank per time that it works."""
    key = None if line is None else (TARGET, line)
    return Ranks(tuple(RankFacts(n, 30.0, ms, key, 1.0) for n, ms in enumerate(busy_ms)))
