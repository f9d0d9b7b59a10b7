"""The host, its loops, optimizers, compiler and garbage collector."""

from __future__ import annotations

from typing import Any

from stepscope.diagnosis.facts.compiling import Compiling, GraphBreak, Recompile
from stepscope.diagnosis.facts.garbage import Garbage
from stepscope.diagnosis.facts.host import Host, IdleLine, PythonLine
from stepscope.diagnosis.facts.loops import LoopFacts, Loops
from stepscope.diagnosis.facts.models import Models
from stepscope.diagnosis.facts.optimizers import OptimizerFacts, Optimizers
from tests.factories import TARGET
from tests.unit.diagnosis.builders import FORWARD, LOOP, PRINT


def host(**fields: Any) -> Host:
    """A GPU that waits 9 of 30 ms for 300 kernels of 5 µs, most of it on the ``print`` line."""
    values: dict[str, Any] = {
        "python": (PythonLine((TARGET, PRINT), 6.0, 0.0),),
        "kernels": 300.0,
        "median_kernel_us": 5.0,
        "idle_ms": 9.0,
        "idle": (IdleLine((TARGET, PRINT), 6.0), IdleLine((TARGET, LOOP), 2.0)),
        "forward_line": (TARGET, FORWARD),
    } | fields
    return Host(**values)


def cpu_host(**fields: Any) -> Host:
    """The same Python on a machine without an accelerator."""
    nothing = {"kernels": None, "median_kernel_us": None, "idle_ms": None, "idle": ()}
    return host(**(nothing | fields))


def models(**fields: Any) -> Models:
    """A model that trains, on the GPU, with nothing special about it."""
    values: dict[str, Any] = {
        "training_dropouts": 0,
        "training_norms": 0,
        "convolutions": 0,
        "channels_last": 0,
        "data_parallel": (),
        "device_bytes": {"cuda:0": 1000},
        "compiled": False,
        "cudnn_benchmark": False,
        "cudnn_deterministic": False,
        "accelerator_there": True,
        "threads_asked_for": False,
        "trains": True,
    } | fields
    return Models(**values)


def optimizers(**fields: Any) -> Optimizers:
    """AdamW of 100 parameters, one by one: 6 of 30 ms, 2 of them arithmetic."""
    values: dict[str, Any] = {
        "name": "AdamW",
        "construct": (TARGET, PRINT),
        "step_ms": 6.0,
        "update_ms": 2.0,
        "implementation": "single tensor",
        "takes_foreach": True,
        "takes_fused": True,
        "parameters": 100,
    } | fields
    return Optimizers((OptimizerFacts(**values),))


def compiling(count: int = 4, limit: int | None = 8) -> Compiling:
    """A print in the graph, and a function that was compiled ``count`` more times."""
    return Compiling(
        (GraphBreak((TARGET, PRINT), "cannot trace print", 2),),
        (Recompile((TARGET, FORWARD), "main", "n == 3", count),),
        limit,
    )


def garbage(**fields: Any) -> Garbage:
    """Three collections of everything in ten steps, 3 ms a step on average."""
    values: dict[str, Any] = {
        "per_step_ms": 3.5,
        "longest_ms": 12.0,
        "collections": 9,
        "full": 3,
        "full_ms": 3.0,
        "steps": 10,
    } | fields
    return Garbage(**values)


def loops(**fields: Any) -> Loops:
    """A loop of 32 passes that takes 6 of 30 ms and does nothing that a rule knows."""
    values: dict[str, Any] = {
        "line": (TARGET, LOOP),
        "passes": 32.0,
        "cost_ms": 6.0,
        "cells": 0.0,
        "products": 0.0,
        "small_products": None,
        "products_ms": 0.0,
        "indexes": 0.0,
        "by_variable": False,
        "carries": False,
    } | fields
    return Loops((LoopFacts(**values),), 64)
