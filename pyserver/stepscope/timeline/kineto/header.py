"""What a trace says of its run as a whole, in the words that a capture has for it."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

from stepscope.timeline.kineto.columns import Columns, printable
from stepscope.timeline.kineto.spellings import schema_kinds
from stepscope.timeline.kineto.steps import Steps
from stepscope.timeline.kineto.stream import Surroundings

_MOST_RANKS = 1_000_000
_TF32_SINCE = 8  # major compute capability: Ampere
_EPOCH_FROM_NS = 10**18
"""Times since the machine was started are smaller: they say nothing about the date."""


def describe_run(
    path: Path,
    columns: Columns,
    around: Surroundings,
    steps: Steps,
    launch_ns: float | None,
) -> dict[str, Any]:
    """The run's facts; what a trace does not hold is None or empty."""
    base = around.keys.get("baseTimeNanoseconds")
    base_ns = base if isinstance(base, int) and not isinstance(base, bool) else 0
    base_ns += (columns.base_us or 0) * 1000
    ranks = around.keys.get("distributedInfo")
    ranks = ranks if isinstance(ranks, dict) else {}
    index, name, capability = _device(columns, around)
    began = steps.bounds[0] + base_ns
    return {
        "target": str(path),
        "source": None,
        "args": [],
        "python": None,
        "torch": None,
        "device": f"cuda:{index} {name}".rstrip() if columns.device.name else "cpu",
        "device_name": name,
        "device_type": "cuda" if columns.device.name else "cpu",
        "device_index": index,
        "started": _date(began) if began > _EPOCH_FROM_NS else None,
        "steps": max(1, len(steps.bounds) - 1),
        "warmup": 0,
        "boundary": steps.how,
        "boundary_kind": "trace",
        "loop": None,
        "notes": [],
        "process": "main",
        "assumed": None,
        "files": None,
        "clean_ns": [],
        "model": "",
        "loaders": [],
        "cores": None,
        "threads": None,
        "tf32": False if capability is not None and capability < _TF32_SINCE else None,
        "schemas": schema_kinds(columns.strings),
        "peaks": {"launch_ns": launch_ns},
        "from_trace": True,
        "base_ns": base_ns,
        "recorded_base_ns": base_ns - (columns.base_us or 0) * 1000,
        "first_step": steps.first,
        "rank": _whole_number(ranks.get("rank")),
        "world_size": _whole_number(ranks.get("world_size")),
        "with_stack": bool(columns.frames.name or columns.stacks),
        "with_shapes": any(row >= 0 for row in columns.host.inputs),
    }


def _device(columns: Columns, around: Surroundings) -> tuple[int, str, int | None]:
    """Number and name of the device that did most of the work, and CUDA's capability of it."""
    if not columns.device.name:
        return -1, "", None
    times: dict[int, int] = {}
    for device, ns in zip(columns.device.device, columns.device.duration, strict=True):
        times[device] = times.get(device, 0) + ns
    index = max(times, key=times.__getitem__)
    listed = around.keys.get("deviceProperties")
    entries = [
        entry
        for entry in (listed if isinstance(listed, list) else ())
        if isinstance(entry, dict) and isinstance(entry.get("name"), str)
    ]
    mine = [entry for entry in entries if entry.get("id") == index]
    # A process that sees one device calls it 0, and the trace by its number on the machine.
    if not mine and len({entry["name"] for entry in entries}) == 1:
        mine = entries
    if not mine:
        return index, "", None
    name = printable(mine[0]["name"][:200])
    major = mine[0].get("computeMajor")
    nvidia = "AMD" not in name and isinstance(major, int)
    return index, name, major if nvidia else None


def _whole_number(value: Any) -> int | None:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and 0 <= value <= _MOST_RANKS else None


def _date(ns: int) -> str:
    seconds = min(ns // 10**9, 253_402_300_799)
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).isoformat()
