"""What becomes of graphs."""

from __future__ import annotations

from typing import Any

from stepscope.diagnosis.facts.graphs import Graphs, KeptGraphs, UnusedGraph, ZeroFill
from tests.factories import TARGET
from tests.unit.diagnosis.builders import FORWARD


def kept(**fields: Any) -> KeptGraphs:
    """A sum that has kept twenty graphs, and keeps one more in each step."""
    values: dict[str, Any] = {
        "sum_growth": 1.0,
        "sum_length": 20,
        "sum_line": (TARGET, FORWARD),
        "tensor_growth": 0.0,
        "tensor_lines": (),
    } | fields
    return KeptGraphs(**values)


def unused(**fields: Any) -> UnusedGraph:
    """A forward pass of 9 ms that nobody goes back through."""
    values: dict[str, Any] = {
        "line": (TARGET, FORWARD),
        "nodes": 12.0,
        "unused": 12.0,
        "ms": 9.0,
    } | fields
    return UnusedGraph(**values)


def zero_fill(number: int, **fields: Any) -> ZeroFill:
    """Filling takes 2 ms and adding 1 ms."""
    values: dict[str, Any] = {"calls": 8.0, "ms": 2.0, "adding_ms": 1.0} | fields
    return ZeroFill(line=(TARGET, number), **values)


def graphs(**fields: Any) -> Graphs:
    """Three training steps in which all is as it should be."""
    values: dict[str, Any] = {
        "steps": 3,
        "unused": (),
        "kept": kept(sum_growth=0.0, sum_line=None),
        "zero_fills": (),
        "backward_lines": ((TARGET, FORWARD),),
        "passed_again": 0.0,
        "outliving_bytes": 0,
    } | fields
    return Graphs(**values)
