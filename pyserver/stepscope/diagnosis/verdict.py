"""What bounds the step, in one sentence with the share that proves it and the lines that cause it.

Said before any advice, and also when there is no advice to give. Derived from the breakdown alone:
the largest group of moments names the bound, and what belongs to that group names its causes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath

from stepscope import format as fmt
from stepscope.attribution.attribute import Attributed, Ledgers
from stepscope.attribution.model import Breakdown, LineCost, LineKey, Profile
from stepscope.operator_names import describe_operator
from stepscope.timeline.communication import is_collective, is_collective_kernel

_CAUSES = 5
_WORTH_NAMING = 0.03  # of the step
_ALSO = 0.10  # of the step
_NEAR_PEAK = 0.6


@dataclass(frozen=True, slots=True)
class Cause:
    """A line (or function, in a recorded trace), else an operator; ``ms`` of the bound's time."""

    name: str
    line: LineKey | None
    ms: float


@dataclass(frozen=True, slots=True)
class Verdict:
    """``bound``: "compute", "memory", "host", "data", "communication", "copy" or "sync".

    ``share`` is the part of the step that belongs to it.
    """

    bound: str
    share: float
    sentence: str
    causes: tuple[Cause, ...]


def judge(attributed: Attributed) -> Verdict | None:
    """The verdict on a run; None where nothing was timed."""
    profile, ledgers = attributed.profile, attributed.ledgers
    if not profile.timed or profile.step_ms.median <= 0:
        return None
    groups = _groups(profile.breakdown)
    name = max(groups, key=lambda group: groups[group])
    share = groups[name]
    if share <= 0:
        return None
    bound = name
    if name == "device":
        shares = profile.breakdown
        bound = "compute" if shares.compute >= shares.memory else "memory"
    causes = _causes(profile, ledgers, name)
    sentence = _sentence(profile, ledgers, name, bound, share)
    if causes:
        sentence += f", mostly in {_in_words(causes, profile.step_ms.median)}"
    also = [
        f"{fmt.share(part)} {_ALSO_WORDS[other]}"
        for other, part in sorted(groups.items(), key=lambda item: -item[1])
        if other != name and part >= _ALSO
    ]
    sentence += f"; {', '.join(also)}." if also else "."
    return Verdict(bound, share, sentence, causes)


_ALSO_WORDS = {
    "device": "computes",
    "host": "is the host's own time",
    "data": "waits for data",
    "communication": "is exposed communication",
    "copy": "copies",
    "sync": "synchronises",
}


def _groups(shares: Breakdown) -> dict[str, float]:
    return {
        "device": shares.compute + shares.memory,
        "host": shares.overhead + shares.other + shares.idle,
        "data": shares.data,
        "communication": shares.communication,
        "copy": shares.copy,
        "sync": shares.sync,
    }


def _sentence(profile: Profile, ledgers: Ledgers, name: str, bound: str, share: float) -> str:
    part = fmt.share(share)
    accelerator = ledgers.device is not None
    if name == "device":
        who = "GPU-bound" if accelerator else f"{bound.capitalize()}-bound"
        what = "the device computes" if accelerator else "operators compute"
        shares = profile.breakdown
        text = (
            f"{who}: {what} for {part} of the step ({fmt.share(shares.compute)} bound by compute, "
            f"{fmt.share(shares.memory)} by memory traffic)"
        )
        reached = _of_peak(profile, ledgers)
        if reached is not None and reached >= _NEAR_PEAK:
            text += (
                f" at {fmt.share(reached)} of the device's peak, so there is nothing to gain below "
                "the algorithm"
            )
        return text
    if name == "host":
        if accelerator:
            return (
                f"Host-bound: for {part} of the step the device waits for the host to launch work"
            )
        return f"Overhead-bound: {part} of the step is launching and Python, not work on data"
    return {
        "data": f"Input-bound: {part} of the step waits for data",
        "communication": f"Communication-bound: for {part} of the step the device communicates and "
        "nothing else runs",
        "copy": f"Copy-bound: {part} of the step copies between host and device",
        "sync": f"Sync-bound: host and device wait for each other for {part} of the step",
    }[name]


def _of_peak(profile: Profile, ledgers: Ledgers) -> float | None:
    """FLOP/s of the step over the device's peak for their precision; None where not known."""
    peaks = ledgers.peaks
    if peaks.float32 is None or not ledgers.efforts.by_key:
        return None
    total = sum(effort.flops for effort in ledgers.efforts.by_key.values())
    half = sum(effort.half_flops for effort in ledgers.efforts.by_key.values())
    seconds = (total - half) / peaks.float32 + half / (peaks.half or peaks.float32)
    return seconds / (profile.step_ms.median / 1e3)


def _causes(profile: Profile, ledgers: Ledgers, name: str) -> tuple[Cause, ...]:
    """The lines with most of the group's time; operators where there are no lines."""
    least = _WORTH_NAMING * profile.step_ms.median
    accelerator = ledgers.device is not None
    take: Callable[[LineCost], float | None] = {
        "device": lambda line: line.work_ms,
        "host": _launch_gap if accelerator else _host_only,
        "data": lambda line: line.wait_ms.data,
        "communication": _communication,
        "copy": lambda line: line.wait_ms.copy,
        "sync": lambda line: line.wait_ms.sync,
    }[name]
    found = [
        Cause(line.function or PurePath(line.file).name, line.key, ms)
        for line in profile.lines
        if (ms := take(line) or 0.0) >= least
    ]
    if not profile.lines:
        found = [
            Cause(operator, None, ms)
            for operator, ms in _operators(ledgers, name).items()
            if ms >= least
        ]
    return tuple(sorted(found, key=lambda cause: -cause.ms)[:_CAUSES])


def _launch_gap(line: LineCost) -> float:
    return max(0.0, (line.device_idle_ms or 0.0) - line.wait_ms.total)


def _host_only(line: LineCost) -> float:
    return max(0.0, line.cost_ms - line.work_ms - line.wait_ms.total)


def _communication(line: LineCost) -> float:
    return sum(op.work_ms for op in line.ops if is_collective(op.name))


def _operators(ledgers: Ledgers, name: str) -> dict[str, float]:
    strings = ledgers.timeline.strings
    totals: dict[str, float] = defaultdict(float)
    if name == "host":
        for (_, key), ms in ledgers.op_work.items():
            totals[strings[key[1]]] += ms
    elif name in ("device", "communication"):
        collective = name == "communication"
        for key, ms in ledgers.work_by_key().items():
            operator = strings[key[1]]
            if (is_collective(operator) or is_collective_kernel(operator)) == collective:
                totals[operator] += ms
    return totals


def _in_words(causes: tuple[Cause, ...], step_ms: float) -> str:
    return ", ".join(
        f"{describe_operator(cause.name)}{_where(cause)} {fmt.share(cause.ms / step_ms)}"
        for cause in causes[:3]
    )


def _where(cause: Cause) -> str:
    return "" if cause.line is None else f" ({PurePath(cause.line[0]).name}:{cause.line[1]})"
