"""What becomes of autograd's graphs: which are used, which are held, which gradients are zeroed.

Lines are 1-based; paths absolute.
"""

from __future__ import annotations

from dataclasses import dataclass

from stepscope.attribution.model import LineKey


@dataclass(frozen=True, slots=True)
class UnusedGraph:
    """Forward work under one line of the step's loop whose graph no backward pass goes through.

    Per step: ``nodes`` that were made, ``unused`` ones among them, and ``ms`` of the operators
    that made those.
    """

    line: LineKey
    nodes: float
    unused: float
    ms: float


@dataclass(frozen=True, slots=True)
class KeptGraphs:
    """Tensors that hold a graph and become more from step to step.

    ``sum_growth``: additions per step by which the longest sum of results grows, with the line of
    the latest one; ``tensor_growth``: tensors with a graph that outlive their step, how many
    more per step, with the lines that made those of the last one. 0 where nothing grows.
    """

    sum_growth: float
    sum_length: int
    sum_line: LineKey | None
    tensor_growth: float
    tensor_lines: tuple[LineKey, ...]


@dataclass(frozen=True, slots=True)
class ZeroFill:
    """Gradients overwritten with zeros on one line, per step.

    ``ms`` is the filling; ``adding_ms`` the additions to what is zero then, in the backward pass.
    """

    line: LineKey
    calls: float
    ms: float
    adding_ms: float


@dataclass(frozen=True, slots=True)
class Graphs:
    """Over ``steps`` recorded ones. ``kept`` is None where it was not looked for.

    ``backward_lines`` are the lines under which backward passes ran; ``passed_again``: nodes per
    step that a backward pass went through for at least the second time. ``outliving_bytes`` of
    forward results outlive the step that made them; None where memory was not recorded.
    """

    steps: int
    unused: tuple[UnusedGraph, ...]
    kept: KeptGraphs | None
    zero_fills: tuple[ZeroFill, ...]
    backward_lines: tuple[LineKey, ...]
    passed_again: float
    outliving_bytes: int | None
