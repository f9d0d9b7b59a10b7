"""Builders of reports and their parts for tests. No torch, no files: every value is given here.

Each builder makes something valid and small; keyword arguments replace single fields, so a test
names only what it is about.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from stepscope.attribution.model import (
    Breakdown,
    Categories,
    Coverage,
    LineCost,
    MemoryPoint,
    MemoryProfile,
    OpCost,
    Profile,
    RunInfo,
    StepTime,
    Totals,
    Unattributed,
    Waits,
)
from stepscope.diagnosis.finding import Finding, Severity
from stepscope.fixes.model import Fix, TextEdit
from stepscope.report.build import build_report
from stepscope.report.model import Report

TARGET = "/project/train.py"

SOURCE = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(64, 64)

    def forward(self, x):
        y = self.a(x)
        return y.relu()


def main(loader, net, opt):
    for x in loader:
        loss = net(x).mean()
        print(loss.item())
        opt.zero_grad()
        loss.backward()
        opt.step()


if __name__ == "__main__":
    main(None, None, None)
"""
"""The source behind ``profile()``; its lines are what the other builders point at."""


def line_of(text: str, source: str = SOURCE) -> int:
    """1-based number of the only line that contains ``text``."""
    hits = [number for number, line in enumerate(source.splitlines(), 1) if text in line]
    assert len(hits) == 1, f"{text!r} is on lines {hits}"
    return hits[0]


def op(name: str = "aten::linear", work_ms: float = 2.0, **fields: Any) -> OpCost:
    """An operator, called once per step unless told otherwise."""
    values: dict[str, Any] = {
        "calls": 1.0,
        "shapes": "[32, 64] · [64, 64]",
        "dtypes": "float32",
    } | fields
    return OpCost(name=name, work_ms=work_ms, **values)


def line(number: int, cost_ms: float = 1.0, **fields: Any) -> LineCost:
    """A line of ``TARGET`` that costs ``cost_ms``, a third of it forward and the rest backward."""
    values: dict[str, Any] = {
        "file": TARGET,
        "function": "Net.forward",
        "calls": 1.0,
        "host_ms": cost_ms,
        "work_ms": cost_ms,
        "forward_ms": cost_ms / 3,
        "backward_ms": cost_ms * 2 / 3,
    } | fields
    return LineCost(line=number, cost_ms=cost_ms, **values)


def categories(**fields: int) -> Categories:
    """Bytes by category, all zero unless given."""
    return Categories(**fields)


def memory(peak_bytes: int = 240_000_000, **fields: Any) -> MemoryProfile:
    """A step's memory with a peak in the middle."""
    values: dict[str, Any] = {
        "reserved_bytes": None,
        "peak_line": (TARGET, line_of("self.a(x)")),
        "categories": categories(
            parameter=peak_bytes // 4, activation=peak_bytes - peak_bytes // 4
        ),
        "timeline": (
            MemoryPoint(0.0, peak_bytes // 4),
            MemoryPoint(10.0, peak_bytes),
            MemoryPoint(30.0, peak_bytes // 4),
        ),
    } | fields
    return MemoryProfile(peak_bytes=peak_bytes, **values)


def memory_only(
    lines: Iterable[LineCost] | None = None, peak_bytes: int = 200_000_000, **fields: Any
) -> Report:
    """The report of a recording without a clock: what a memory snapshot gives."""
    made = lines or (
        line(line_of("self.a(x)"), 0.0, live_at_peak_bytes=96_000_000, allocated_bytes=192_000_000),
    )
    values: dict[str, Any] = {
        "timed": False,
        "work_measured": False,
        "run": run_info(python=None, torch=None, started=None, steps=0, warmup=0, device="cuda:0",
                        boundary="a memory snapshot holds no steps"),
        "memory": memory(peak_bytes, categories=None, before_bytes=50_000_000),
    } | fields  # fmt: skip
    return build_report(profile(made, **values), ())


def run_info(**fields: Any) -> RunInfo:
    """How ``TARGET`` was run, on the CPU."""
    values: dict[str, Any] = {
        "target": TARGET,
        "args": ("--epochs", "1"),
        "python": "3.11.4",
        "torch": "2.13.0",
        "device": "cpu",
        "started": "2026-01-02T03:04:05Z",
        "steps": 10,
        "warmup": 3,
        "boundary": "the loop on line 16, one optimizer step each",
        "model": "Net",
    } | fields
    return RunInfo(**values)


def profile(lines: Iterable[LineCost] | None = None, **fields: Any) -> Profile:
    """A 30 ms step of ``SOURCE`` whose lines and unattributed time add up to it."""
    if lines is None:
        lines = default_lines()
    chosen = tuple(sorted(lines, key=lambda cost: cost.key))
    step_ms = fields.pop("step_ms", StepTime(median=30.0, p10=29.0, p90=32.0))
    rest = max(0.0, step_ms.median - sum(cost.cost_ms for cost in chosen))
    values: dict[str, Any] = {
        "run": run_info(),
        "tax": 1.4,
        "totals": Totals(span_ms=90.0, host_ms=90.0, device_busy_ms=None),
        "breakdown": Breakdown(
            compute=0.5,
            memory=0.2,
            overhead=0.1,
            data=0.1,
            copy=0.0,
            sync=0.0,
            communication=0.0,
            idle=0.0,
            other=0.1,
        ),
        "coverage": Coverage(host=0.98, work=0.99),
        "unattributed": Unattributed(
            host_ms=rest, work_ms=0.0, cost_ms=rest, ops=(op("aten::detach", 0.0),)
        ),
        "memory": memory(),
        "sources": {TARGET: SOURCE},
        "notes": (),
    } | fields
    return Profile(lines=chosen, step_ms=step_ms, **values)


def default_lines() -> tuple[LineCost, ...]:
    """Costs of ``SOURCE``: one heavy line, some light ones, one that costs nothing."""
    return (
        line(
            line_of("self.a(x)"),
            12.3,
            live_at_peak_bytes=96_000_000,
            allocated_bytes=96_000_000,
            categories=categories(activation=96_000_000),
            launches=3.0,
            flops=2.6e9,
            bytes_moved=4.0e7,
            regime="compute",
            headroom_ms=3.1,
            wait_ms=Waits(data=0.0, sync=None),
            ops=(
                op("aten::addmm", 4.1),
                op("AddmmBackward0", 8.2, backward=True, calls=2.0),
            ),
        ),
        line(line_of("y.relu()"), 4.0, live_at_peak_bytes=48_000_000),
        line(line_of("for x in loader"), 3.0, function="main", wait_ms=Waits(data=2.9)),
        line(line_of("loss.item()"), 2.0, function="main", wait_ms=Waits(sync=1.5)),
        line(line_of("opt.step()"), 6.0, function="main"),
        line(line_of("opt.zero_grad()"), 0.01, function="main"),
    )


def finding(number: int | None = None, **fields: Any) -> Finding:
    """A synchronisation found on ``loss.item()``, or on line ``number``."""
    number = line_of("loss.item()") if number is None else number
    values: dict[str, Any] = {
        "rule": "sync-in-step",
        "file": TARGET,
        "line": number,
        "end_line": number,
        "severity": Severity.WARNING,
        "message": "`loss.item()` makes the host wait for the device in every step.",
        "evidence": {"wait_ms": 1.5, "per_step": 1.0, "kind": "item"},
        "gain_ms": (0.5, 1.5),
    } | fields
    return Finding(**values)


def fix(number: int | None = None, **fields: Any) -> Fix:
    """An edit that empties line ``number`` (default: that of ``finding()``)."""
    number = line_of("loss.item()") if number is None else number
    values: dict[str, Any] = {
        "title": "Print the loss every 100 steps",
        "edits": (TextEdit(TARGET, number, 8, number, 26, "pass"),),
    } | fields
    return Fix(**values)


def report(
    lines: Iterable[LineCost] | None = None,
    findings: Iterable[tuple[Finding, Fix | None]] | None = None,
    **fields: Any,
) -> Report:
    """The report of ``profile(lines, **fields)`` with one finding and its fix."""
    found = [(finding(), fix())] if findings is None else findings
    return build_report(profile(lines, **fields), found)


def moved_to(made: Report, path: str) -> Report:
    """The same report for ``path`` instead of ``TARGET``: for tests that need a real file."""
    moved = _replace_path(made, path)
    assert isinstance(moved, Report)
    return moved


def _replace_path(value: Any, path: str) -> Any:
    """Rebuild frozen data with every ``TARGET`` replaced."""
    if value == TARGET:
        return path
    if isinstance(value, dict):
        return {_replace_path(k, path): _replace_path(v, path) for k, v in value.items()}
    if isinstance(value, tuple):
        return tuple(_replace_path(item, path) for item in value)
    if hasattr(value, "__dataclass_fields__"):
        return type(value)(
            **{
                name: _replace_path(getattr(value, name), path)
                for name in value.__dataclass_fields__
            }
        )
    return value


def report_on(
    path: str, source: str, costs: dict[str, float], finding_texts: Iterable[str] = ()
) -> Report:
    """The report of a real file: ``costs`` maps a text that is on one line to that line's ms.

    Each text of ``finding_texts`` names the line of one finding.
    """
    lines = [
        line(line_of(text, source), ms, file=path, live_at_peak_bytes=96_000_000, ops=(op(),))
        for text, ms in costs.items()
    ]
    findings = [
        (finding(line_of(text, source), file=path), fix(line_of(text, source)))
        for text in finding_texts
    ]
    return build_report(profile(lines, run=run_info(target=path), sources={path: source}), findings)
