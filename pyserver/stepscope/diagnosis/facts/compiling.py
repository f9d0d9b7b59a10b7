"""What torch.compile could not take into one graph, or compiled again."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope.attribution.model import LineKey


@dataclass(frozen=True, slots=True)
class GraphBreak:
    """A user line at which Dynamo ended a graph, why, and how often it did (all of the run)."""

    line: LineKey
    reason: str
    count: int


@dataclass(frozen=True, slots=True)
class Recompile:
    """A function that was compiled ``count`` more times, with the guard that failed last."""

    line: LineKey
    function: str
    reason: str
    count: int


@dataclass(frozen=True, slots=True)
class Compiling:
    """``limit``: after that many variants of a function torch gives up on it; None: not known."""

    breaks: tuple[GraphBreak, ...]
    recompiles: tuple[Recompile, ...]
    limit: int | None
