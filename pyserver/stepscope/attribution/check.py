"""Conservation: what the ledgers must add up to, checked on every report."""

from __future__ import annotations

from stepscope.attribution.model import Profile

_RELATIVE = 1e-3


def self_check(profile: Profile) -> list[str]:
    """Every way in which the profile contradicts itself, as sentences; empty when it is sound."""
    problems = []
    step = profile.step_ms.median

    def expect(what: str, found: float, wanted: float) -> None:
        if abs(found - wanted) > _RELATIVE * max(abs(wanted), 1e-6):
            problems.append(f"{what} add up to {found:.4f}, not {wanted:.4f}")

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
    memory = profile.memory
    if memory is not None and memory.reserved_bytes is None:
        expect("categories at the peak (bytes)", memory.categories.total, memory.peak_bytes)
        held = sum(line.live_at_peak_bytes or 0 for line in lines)
        if held > memory.peak_bytes:
            problems.append(f"lines hold {held} bytes at a peak of {memory.peak_bytes}")
    return problems
