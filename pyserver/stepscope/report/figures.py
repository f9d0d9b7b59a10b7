"""The figures of a line, as rows that a hover draws and as text to copy."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from stepscope import format as fmt
from stepscope.attribution.model import Categories, LineCost, Profile
from stepscope.report import display


def heading(profile: Profile, cost: LineCost) -> str:
    """``41 % of the step (12.3 ms of 30.0 ms)``."""
    if not profile.timed:
        return "Memory of this line; time was not measured"
    share = fmt.share(display.step_share(profile, cost.cost_ms))
    step = fmt.duration(profile.step_ms.median)
    return f"{share} of the step ({fmt.duration(cost.cost_ms)} of {step})"


def line_figures(profile: Profile, cost: LineCost) -> str:
    """All of a line as text: where it is, the rows in columns, when and on what it was measured."""
    where = f"{Path(cost.file).name}:{cost.line}"
    found = list(rows(profile, cost))
    width = max((len(name) for name, _ in found), default=0)
    lines = [f"{where}  {heading(profile, cost)}"]
    lines += [f"{name.ljust(width)}  {value}" for name, value in found]
    lines += [text for text in (display.describe_moment(profile),) if text]
    return "\n".join(lines)


def rows(profile: Profile, cost: LineCost) -> Iterator[tuple[str, str]]:
    """(what, value per step) of each measurement; what was not measured has no row."""
    if not profile.timed:
        yield from _memory_rows(profile, cost)
        return
    if cost.work_ms > 0:
        yield "Forward", fmt.duration(cost.forward_ms)
        yield "Backward", fmt.duration(cost.backward_ms)
    yield "Host", fmt.duration(cost.host_ms)
    if cost.device_idle_ms is not None:
        yield "Device idle meanwhile", fmt.duration(cost.device_idle_ms)
    waits = cost.wait_ms
    for name, value in (
        ("Waiting for data", waits.data),
        ("Waiting for the device", waits.sync),
        ("Waiting for copies", waits.copy),
        ("Waiting for other ranks", waits.communication),
    ):
        if value is not None:
            yield name, fmt.duration(value)
    yield from _memory_rows(profile, cost)
    if cost.worker_ms is not None:
        yield "In a loader worker, per batch", fmt.duration(cost.worker_ms)
    yield "Times run", fmt.count(cost.calls)
    # A line that computes nothing has no arithmetic, traffic or launches worth a row of zeros.
    if cost.work_ms > 0:
        yield from _work_rows(profile, cost)


def _work_rows(profile: Profile, cost: LineCost) -> Iterator[tuple[str, str]]:
    if cost.launches is not None:
        noun = "Kernels launched" if display.has_accelerator(profile) else "Operators run"
        yield noun, fmt.count(cost.launches)
    if cost.flops is not None:
        yield "Arithmetic", fmt.amount(cost.flops, "FLOP")
    if cost.bytes_moved is not None:
        yield "Memory traffic", fmt.size(cost.bytes_moved)
    if cost.regime is not None:
        yield "Bound", display.REGIMES.get(cost.regime, cost.regime)
    if cost.headroom_ms is not None:
        yield "Above what the hardware allows", fmt.duration(cost.headroom_ms)


def _memory_rows(profile: Profile, cost: LineCost) -> Iterator[tuple[str, str]]:
    if cost.live_at_peak_bytes is not None:
        live = fmt.size(cost.live_at_peak_bytes)
        peak = profile.memory.peak_bytes if profile.memory else 0
        share = f" ({fmt.share(cost.live_at_peak_bytes / peak)} of it)" if peak else ""
        yield "Memory live at the peak", live + share
    if cost.categories is not None and cost.live_at_peak_bytes:
        yield "of it", _categories(cost.categories)
    if cost.allocated_bytes is not None:
        yield "Memory allocated", fmt.size(cost.allocated_bytes)


def _categories(categories: Categories) -> str:
    named = {
        "parameters": categories.parameter,
        "gradients": categories.gradient,
        "optimizer state": categories.optimizer,
        "activations": categories.activation,
        "input": categories.input,
        "temporary": categories.temporary,
    }
    largest_first = sorted(named.items(), key=lambda item: -item[1])
    return ", ".join(f"{name} {fmt.size(size)}" for name, size in largest_first if size) or "none"
