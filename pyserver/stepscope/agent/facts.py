"""What the capture says about the run as a whole."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import platform
import sys
import time
from typing import TYPE_CHECKING, Any

from . import evidence
from .boundary import StepFinder
from .calibration import calibrate
from .lineclock import CodeTable
from .modelname import model_name
from .passes import Recorder, processor_count
from .profiler import schema_kinds
from .ranks import NO_RANK

if TYPE_CHECKING:
    from .main import Agent


def capture_facts(agent: Agent, recorder: Recorder) -> dict[str, Any]:
    """Everything but the columns. Plain data that JSON can hold."""
    torch = recorder.torch
    device, name = recorder.device, _device_name(torch, recorder.device)
    known = evidence.collect(agent, recorder)  # first: what fails is told in the notes
    facts = {
        "target": agent.config["target"],
        "source": importlib.util.decode_source(agent.source),
        "args": sys.argv[1:],
        "python": f"{sys.executable} ({platform.python_version()})",
        "torch": torch.__version__,
        "device": "cpu" if device.type == "cpu" else f"{device} {name}",
        "device_type": device.type,
        "device_index": -1 if device.type == "cpu" else device.index or 0,
        "device_name": name,
        "started": agent.started.isoformat(timespec="seconds"),
        "steps": len(recorder.clean_ns),
        "warmup": recorder.warmup,
        "boundary": agent.boundary or agent.finder.describe(),
        "boundary_kind": agent.finder.kind,
        "loop": _loop_fact(agent.finder),
        "clean_ns": recorder.clean_ns,
        "thread": recorder.thread,
        "model": model_name(torch, agent.models),
        "loaders": agent.loaders.all,
        "cores": processor_count(),
        "threads": torch.get_num_threads(),
        "tf32": device.type == "cuda" and _allows_tf32(torch),
        "peaks": calibrate(torch, device, name),
        "schemas": schema_kinds(torch, recorder.strings.all),
        "python_version": list(sys.version_info[:2]),
        "evidence": known,
        "notes": [
            *agent.notes,
            *agent.family.notes(),
            *(agent.rank.notes() if agent.rank else []),
        ],
        "process": _process(agent, torch),
        **(agent.rank.facts(torch) if agent.rank else NO_RANK),
        "first_step": _first_step(recorder) if agent.rank else None,
        "assumed": agent.assumed,
        "files": agent.guard.facts()
        if agent.guard
        else {"guard": "off", "kept": [], "created": []},
    }
    facts["reading_cpu_s"] = time.process_time() - recorder.cpu_at_end
    return facts


def _first_step(recorder: Recorder) -> int | None:
    """The number of the first step that was mapped, by which ranks are laid side by side."""
    for window in recorder.windows:
        if window.kind == "map":
            return int(window.facts["first_step"])
    return None


def code_table(table: CodeTable) -> list[dict[str, Any]]:
    """The code objects that the line clock saw, by number."""
    return [
        {
            "file": os.path.abspath(code.co_filename),
            "function": getattr(code, "co_qualname", code.co_name),
            "first_line": code.co_firstlineno,
        }
        for code in table.codes
    ]


def _process(agent: Agent, torch: Any) -> str:
    family, distributed = agent.family, torch.distributed
    if agent.rank is not None:
        return agent.rank.words if family.is_main else f"{agent.rank.words}, {family.words}"
    if family.is_main or not (distributed.is_available() and distributed.is_initialized()):
        return family.words
    rank, size = distributed.get_rank(), distributed.get_world_size()
    return f"rank {rank} of {size}, {family.words}"


def _allows_tf32(torch: Any) -> bool | None:
    """Whether float32 products may run as TF32; None where torch does not say.

    Since torch 2.9 there are two ways to ask for it, and asking back in the other one raises.
    """
    settings = torch.backends.cuda.matmul
    if getattr(settings, "fp32_precision", None) == "tf32":
        return True
    try:
        return bool(settings.allow_tf32)
    except RuntimeError:
        return None


def _device_name(torch: Any, device: Any) -> str:
    if device.type == "cuda":
        return str(torch.cuda.get_device_name(device))
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as cpus:
        for line in cpus:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def _loop_fact(finder: StepFinder) -> dict[str, Any] | None:
    loop = finder.loop
    if loop is None:
        return None
    return {
        "file": os.path.abspath(loop.file),
        "line": loop.line,
        "end_line": loop.end_line,
        "mark": loop.mark,
    }
