"""The report as JSON, spelt as ``report.schema.json`` says. Everything public is named here once.

Times are milliseconds per step, sizes bytes, lines 1-based, paths absolute; ``None`` becomes
``null``. The measured sources stay behind: they are what an editor compares with, not a result.
"""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from stepscope.attribution.model import (
    Breakdown,
    Categories,
    FilesTouched,
    LineCost,
    LineKey,
    MemoryProfile,
    OpCost,
    Ranks,
    Unattributed,
    Waits,
)
from stepscope.diagnosis.verdict import Verdict
from stepscope.fixes.model import Fix, TextEdit
from stepscope.report.model import SCHEMA, Hint, Report

Json = dict[str, Any]

_OF_OPERATORS = ("work_ms", "forward_ms", "backward_ms")
_OF_STEPS = ("step_ms", "tax", "totals", "breakdown", "recomputed_ms")
_OF_TIME = ("calls", "cost_ms", "host_ms", *_OF_OPERATORS)

DUST = 1e-9
"""Below this a difference is one of rounding: a picosecond of a step of a millisecond."""


def report_to_json(report: Report) -> Json:
    """The report as plain dicts, lists, numbers and strings."""
    written: Json = _without_dust(_report(report))
    if not report.profile.work_measured:
        written = _without_work(written)
    return written if report.profile.timed else _without_times(written)


def report_to_text(report: Report) -> str:
    """The report as a JSON document. Raises ValueError where a number is not finite."""
    return json.dumps(report_to_json(report), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _report(report: Report) -> Json:
    profile = report.profile
    run = profile.run
    return {
        "schema": SCHEMA,
        "run": {
            "target": run.target,
            "args": list(run.args),
            "python": run.python,
            "torch": run.torch,
            "device": run.device,
            "started": run.started,
            "steps": run.steps,
            "warmup": run.warmup,
            "boundary": run.boundary,
            "model": run.model,
            "process": run.process,
            "assumed": None if run.assumed is None else dataclasses.asdict(run.assumed),
            "files": None if run.files is None else _files(run.files),
        },
        "step_ms": {
            "median": profile.step_ms.median,
            "p10": profile.step_ms.p10,
            "p90": profile.step_ms.p90,
            "mean": profile.step_ms.mean,
        },
        "tax": profile.tax,
        "totals": {
            "span_ms": profile.totals.span_ms,
            "host_ms": profile.totals.host_ms,
            "device_busy_ms": profile.totals.device_busy_ms,
            "communication_ms": profile.totals.communication_ms,
            "hidden_ms": profile.totals.hidden_ms,
        },
        "breakdown": _breakdown(profile.breakdown),
        "verdict": None if report.verdict is None else _verdict(report.verdict),
        "coverage": {
            "host": _share(profile.coverage.host),
            "work": _share(profile.coverage.work),
        },
        "lines": [_line(line) for line in profile.lines],
        "unattributed": _unattributed(profile.unattributed),
        "recomputed_ms": profile.recomputed_ms,
        "memory": None if profile.memory is None else _memory(profile.memory),
        "ranks": None if profile.ranks is None else _ranks(profile.ranks),
        "findings": [_hint(hint) for hint in report.hints],
        "notes": list(profile.notes),
    }


def _without_dust(value: Any) -> Any:
    """Sums of times that should be nothing come out as -1e-17 now and then; nothing is 0."""
    if isinstance(value, float):
        return 0.0 if abs(value) < DUST else value
    if isinstance(value, dict):
        return {key: _without_dust(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_dust(item) for item in value]
    return value


def _share(value: float) -> float:
    """A sum of shares that should be all of it is 1, not 1.0000000000000002."""
    return 1.0 if 1 < value < 1 + DUST else value


def _without_work(written: Json) -> Json:
    """No operator was recorded: what would be told of them is null, never 0."""
    written["coverage"]["work"] = None
    written["recomputed_ms"] = None
    for part in (*written["lines"], written["unattributed"]):
        part.update({key: None for key in _OF_OPERATORS if key in part})
    return written


def _without_times(written: Json) -> Json:
    """Nothing was timed: no step, no shares of one, no counts per step."""
    written.update(dict.fromkeys(_OF_STEPS))
    written["coverage"] = {"host": None, "work": None}
    for part in (*written["lines"], written["unattributed"]):
        part.update({key: None for key in _OF_TIME if key in part})
    return written


def _files(files: FilesTouched) -> Json:
    return {"guard": files.guard, "kept": list(files.kept), "created": list(files.created)}


def _ranks(ranks: Ranks) -> Json:
    written = dataclasses.asdict(ranks)
    for each, rank in zip(written["ranks"], ranks.ranks, strict=True):
        each["breakdown"] = _breakdown(rank.breakdown)
    for collective in written["collectives"]:
        line = collective["late_line"]
        collective["late_line"] = None if line is None else {"file": line[0], "line": line[1]}
    return json.loads(json.dumps(written))  # type: ignore[no-any-return]


def _verdict(verdict: Verdict) -> Json:
    return {
        "bound": verdict.bound,
        "share": _share(verdict.share),
        "sentence": verdict.sentence,
        "causes": [
            {
                "name": cause.name,
                "file": cause.line[0] if cause.line else None,
                "line": cause.line[1] if cause.line else None,
                "ms": cause.ms,
            }
            for cause in verdict.causes
        ],
    }


def _breakdown(shares: Breakdown) -> Json:
    return {
        "compute": _share(shares.compute),
        "memory": _share(shares.memory),
        "overhead": _share(shares.overhead),
        "data": _share(shares.data),
        "copy": _share(shares.copy),
        "sync": _share(shares.sync),
        "communication": _share(shares.communication),
        "idle": _share(shares.idle),
        "other": _share(shares.other),
    }


def _line(line: LineCost) -> Json:
    return {
        "file": line.file,
        "line": line.line,
        "function": line.function,
        "calls": line.calls,
        "cost_ms": line.cost_ms,
        "host_ms": line.host_ms,
        "work_ms": line.work_ms,
        "forward_ms": line.forward_ms,
        "backward_ms": line.backward_ms,
        "device_idle_ms": line.device_idle_ms,
        "wait_ms": _waits(line.wait_ms),
        "allocated_bytes": line.allocated_bytes,
        "live_at_peak_bytes": line.live_at_peak_bytes,
        "categories": None if line.categories is None else _categories(line.categories),
        "flops": line.flops,
        "bytes_moved": line.bytes_moved,
        "launches": line.launches,
        "regime": line.regime,
        "headroom_ms": line.headroom_ms,
        "worker_ms": line.worker_ms,
        "worker_calls": line.worker_calls,
        "exact": line.exact,
        "fused_with": list(line.fused_with),
        "ops": [_op(op) for op in line.ops],
    }


def _waits(waits: Waits) -> Json:
    return {
        "data": waits.data,
        "sync": waits.sync,
        "copy": waits.copy,
        "communication": waits.communication,
    }


def _categories(categories: Categories) -> Json:
    return {
        "parameter": categories.parameter,
        "gradient": categories.gradient,
        "optimizer": categories.optimizer,
        "activation": categories.activation,
        "input": categories.input,
        "temporary": categories.temporary,
    }


def _op(op: OpCost) -> Json:
    return {
        "name": op.name,
        "calls": op.calls,
        "work_ms": op.work_ms,
        "shapes": op.shapes,
        "dtypes": op.dtypes,
        "backward": op.backward,
    }


def _unattributed(rest: Unattributed) -> Json:
    return {
        "cost_ms": rest.cost_ms,
        "host_ms": rest.host_ms,
        "work_ms": rest.work_ms,
        "ops": [_op(op) for op in rest.ops],
    }


def _memory(memory: MemoryProfile) -> Json:
    return {
        "peak_bytes": memory.peak_bytes,
        "reserved_bytes": memory.reserved_bytes,
        "peak_line": None if memory.peak_line is None else _key(memory.peak_line),
        "categories": None if memory.categories is None else _categories(memory.categories),
        "timeline": [
            {"at_ms": point.at_ms, "live_bytes": point.live_bytes} for point in memory.timeline
        ],
        "before_bytes": memory.before_bytes,
    }


def _key(key: LineKey) -> Json:
    return {"file": key[0], "line": key[1]}


def _hint(hint: Hint) -> Json:
    finding = hint.finding
    return {
        "rule": finding.rule,
        "file": finding.file,
        "line": finding.line,
        "end_line": finding.end_line,
        "severity": finding.severity.value,
        "message": finding.message,
        "evidence": dict(finding.evidence),
        "gain_ms": None if finding.gain_ms is None else list(finding.gain_ms),
        "gain_source": finding.gain_source,
        "fix": None if hint.fix is None else _fix(hint.fix),
        "trial": None if hint.trial is None else dataclasses.asdict(hint.trial),
        "related": [dataclasses.asdict(related) for related in finding.related],
    }


def _fix(fix: Fix) -> Json:
    return {"title": fix.title, "edits": [_edit(edit) for edit in fix.edits]}


def _edit(edit: TextEdit) -> Json:
    return {
        "file": edit.file,
        "start_line": edit.start_line,
        "start_column": edit.start_column,
        "end_line": edit.end_line,
        "end_column": edit.end_column,
        "new_text": edit.new_text,
    }
