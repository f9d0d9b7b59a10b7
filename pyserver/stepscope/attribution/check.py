"""Conservation: what the ledgers must add up to, checked on every report."""

from __future__ import annotations

from collections.abc import Callable

from stepscope.attribution.model import Profile

_RELATIVE = 1e-3

_Expect = Callable[[str, float, float], None]


def self_check(profile: Profile) -> list[str]:
    """Every way in which the profile contradicts itself, as sentences; empty when it is sound."""
    problems: list[str] = []

    def expect(what: str, found: float, wanted: float) -> None:
        if abs(found - wanted) > _RELATIVE * max(abs(wanted), 1e-6):
            problems.append(f"{what} add up to {found:.4f}, not {wanted:.4f}")

    if profile.timed:
        _check_times(profile, expect, problems)
    _check_memory(profile, expect, problems)
    return problems


def _check_times(profile: Profile, expect: _Expect, problems: list[str]) -> None:
    step = profile.step_ms.median
    lines, rest = profile.lines, profile.unattributed
    expect("host times (ms)", sum(line.host_ms for line in lines) + rest.host_ms, step)
    expect("costs (ms)", sum(line.cost_ms for line in lines) + rest.cost_ms, step)
    for line in lines:
        where = f"{line.file}:{line.line}"
        expect(
            f"{where}: forward and backward (ms)", line.forward_ms + line.backward_ms, line.work_ms
        )
        if line.device_idle_ms is not None:
            expect(f"{where}: work and idle (ms)", line.work_ms + line.device_idle_ms, line.cost_ms)
        for name in ("cost_ms", "host_ms", "work_ms", "forward_ms", "backward_ms"):
            if getattr(line, name) < 0:
                problems.append(f"{where}: {name} is negative")
        if (line.worker_ms or 0.0) < 0:
            problems.append(f"{where}: worker_ms is negative")
        if line.wait_ms.total > line.host_ms * (1 + _RELATIVE) + 1e-9:
            problems.append(f"{where}: it waits for {line.wait_ms.total} of {line.host_ms} ms")
    shares = profile.breakdown
    total = sum(getattr(shares, name) for name in shares.__dataclass_fields__)
    expect("shares of the breakdown", total, 1.0)


def _check_memory(profile: Profile, expect: _Expect, problems: list[str]) -> None:
    memory = profile.memory
    if memory is None:
        return
    held = sum(line.live_at_peak_bytes or 0 for line in profile.lines)
    if memory.categories is None:
        held += memory.before_bytes or 0
    elif memory.reserved_bytes is None:
        expect("categories at the peak (bytes)", memory.categories.total, memory.peak_bytes)
    else:  # the allocator's own figure of the peak, in whole blocks, beside replayed ones
        return
    if held > memory.peak_bytes:
        problems.append(f"lines hold {held} bytes at a peak of {memory.peak_bytes}")
