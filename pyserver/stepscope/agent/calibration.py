"""What this device can do at best, from a short measurement that is cached per device.

FLOP/s of a large matrix product, bytes/s of a large copy, and the host's time for one tiny
operator.
"""

from __future__ import annotations

import functools
import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

VERSION = 3
# A machine that is busy just then shows less than it can do. So the first runs of a device all
# measure, and the best of each figure is kept.
RUNS = 3


def calibrate(torch: Any, device: Any, name: str) -> dict[str, Any]:
    """What ``device`` can do at best; about 0.2 s in each of its first ``RUNS`` runs.

    ``float32`` and ``bfloat16`` in FLOP/s (None where the device has no such product),
    ``bandwidth`` in bytes/s, ``launch_ns`` in ns of the host per small operator.
    """
    key = f"{VERSION}|{name}|{torch.__version__}|{torch.get_num_threads()}"
    path = _cache_path()
    known = _read(path)
    before = known.get(key)
    if before is not None and before["runs"] >= RUNS:
        return dict(before, cached=True)
    # The script may be inside autocast just now, which would turn one type into the other.
    with torch.no_grad(), torch.autocast(device.type, enabled=False):
        peaks = _measure(torch, device)
    if before is not None:
        peaks = _better(peaks, before)
    if peaks["bandwidth"] is not None:
        known[key] = dict(peaks, runs=1 + (before["runs"] if before is not None else 0))
        _write(path, known)
    return dict(peaks, cached=False)


def _better(peaks: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    """The best of two measurements, figure by figure; None is "not measured"."""
    best = dict(peaks)
    for figure, pick in (
        ("float32", max),
        ("bfloat16", max),
        ("bandwidth", max),
        ("launch_ns", min),
    ):
        measured = [one[figure] for one in (peaks, before) if one[figure] is not None]
        best[figure] = pick(measured) if measured else None
    return best


def _measure(torch: Any, device: Any) -> dict[str, Any]:
    cuda = device.type == "cuda"
    wait = functools.partial(torch.cuda.synchronize, device) if cuda else _nothing
    side = 4096 if cuda else 512
    peaks: dict[str, Any] = {"source": "measured"}
    for dtype_name in ("float32", "bfloat16"):
        dtype = getattr(torch, dtype_name)
        try:
            # A type that the processor only emulates is told by a small product already.
            small = torch.ones(64, 64, device=device, dtype=dtype)
            _best(lambda: small @ small, wait, repeat=3)  # noqa: B023
            a = torch.ones(side, side, device=device, dtype=dtype)
            seconds = _best(lambda: a @ a, wait, repeat=4, budget=0.08)  # noqa: B023
            peaks[dtype_name] = 2 * side**3 / seconds
        except Exception:  # the device has no such product: not measured
            peaks[dtype_name] = None
    size = (256 if cuda else 32) * 1024 * 1024
    try:
        source = torch.empty(size, dtype=torch.uint8, device=device)
        target = torch.empty_like(source)
        seconds = _best(lambda: target.copy_(source), wait, repeat=4, budget=0.05)
        peaks["bandwidth"] = 2 * size / seconds
    except RuntimeError:  # the script has filled the device's memory
        peaks["bandwidth"] = None
    tiny = torch.ones(1, device=device)
    start = time.perf_counter_ns()
    for _ in range(200):
        torch.add(tiny, tiny)
    wait()
    peaks["launch_ns"] = (time.perf_counter_ns() - start) / 200
    return peaks


def _nothing() -> None:
    pass


def _best(
    run: Callable[[], Any], wait: Callable[[], None], repeat: int, budget: float = 1.0
) -> float:
    """Fastest of up to ``repeat`` runs, seconds, after one that is not counted."""
    run()
    wait()
    best = float("inf")
    begun = time.perf_counter()
    for _ in range(repeat):
        start = time.perf_counter()
        run()
        wait()
        best = min(best, time.perf_counter() - start)
        if time.perf_counter() - begun > budget:
            break
    return best


def _cache_path() -> str:
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.expanduser("~")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(base, "stepscope", "peaks.json")


def _read(path: str) -> dict[str, Any]:
    try:
        with open(path, encoding="utf-8") as source:
            found = json.load(source)
        return found if isinstance(found, dict) else {}
    except (OSError, ValueError):
        return {}


def _write(path: str, known: dict[str, Any]) -> None:
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        partial = f"{path}.{os.getpid()}"
        with open(partial, "w", encoding="utf-8") as out:
            json.dump(known, out)
        os.replace(partial, path)
    except OSError:
        pass  # a read-only home only costs the measurement next time
