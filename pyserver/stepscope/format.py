"""Numbers into text: the only place that rounds.

Three significant digits, so that a number never claims more than a measurement of this kind can
know, and a unit that keeps it between 1 and 999. Sizes count in powers of 1000, as the labels kB,
MB and GB say (PyTorch's own messages count in MiB and GiB, units 5 and 7 % larger). A value that
is not measured has no text here: callers leave it out or write ``NOT_MEASURED``.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from stepscope.session.model import Phase, Progress, Stillness

NOT_MEASURED = "not measured"

_DURATIONS = ((1e-3, "µs"), (1.0, "ms"), (1e3, "s"))
_SIZES = ((1.0, "B"), (1e3, "kB"), (1e6, "MB"), (1e9, "GB"), (1e12, "TB"))
_AMOUNTS = ((1.0, ""), (1e3, "k"), (1e6, "M"), (1e9, "G"), (1e12, "T"), (1e15, "P"))


def duration(ms: float) -> str:
    """``12.3 ms`` from milliseconds; µs below 1 ms, s from 1000 ms, ``<1 µs`` below that."""
    if ms == 0:
        return "0 ms"
    if abs(ms) < 1e-3:
        return "<1 µs"
    return _scaled(ms, _DURATIONS)


def size(size_bytes: float) -> str:
    """``96 MB`` from bytes, in powers of 1000. Sizes are counted, not timed: no padding zeros."""
    if abs(size_bytes) < 999.5:
        return f"{_half_up(size_bytes)} B"
    number, label = _scaled(size_bytes, _SIZES).split(" ")
    return f"{_trimmed(number)} {label}"


def share(fraction: float) -> str:
    """``41 %`` from 0.41. What is not quite nothing or everything says so: ``<1 %``, ``>99 %``."""
    if 0 < fraction < 0.01:
        return "<1 %"
    if 0.99 < fraction < 1:
        return ">99 %"
    return f"{_half_up(fraction * 100)} %"


def amount(value: float, unit: str) -> str:
    """``12.3 GFLOP`` from 12.3e9 and ``FLOP``."""
    if abs(value) < 999.5:
        return f"{_trimmed(_significant(value))} {unit}"
    return _scaled(value, _AMOUNTS) + unit


def count(value: float) -> str:
    """A number of events per step: ``2``, ``0.5``, ``1,234``."""
    if value == int(value) or abs(value) >= 99.95:
        return f"{_half_up(value):,}"
    if abs(value) < 0.01:
        return "<0.01"
    return _trimmed(f"{value:.1f}" if abs(value) >= 9.995 else f"{value:.2f}")


def ratio(value: float) -> str:
    """``1.42×``."""
    return f"{_significant(value)}×"


def moment(started: str, now: datetime | None = None) -> str:
    """``14:05`` of an ISO 8601 time, in this machine's zone; ``2026-11-30`` for another day.

    ``now`` stands in for the present in tests. ``""`` for a text that is no such time.
    """
    try:
        # Before Python 3.11 a "Z" is not understood.
        then = datetime.fromisoformat(started.replace("Z", "+00:00")).astimezone()
    except (ValueError, OverflowError, OSError):
        return ""
    today = (datetime.now().astimezone() if now is None else now).date()
    return f"{then:%H:%M}" if then.date() == today else f"{then:%Y-%m-%d}"


def progress(state: Progress) -> str:
    """``measuring · step 3 of 10``."""
    if state.still is not None:
        return f"{state.phase.value} · {stillness(state.still)}"
    if state.step is None:
        return state.phase.value
    noun = "part" if state.phase is Phase.ANALYSING else "step"
    total = "" if state.total is None else f" of {state.total}"
    return f"{state.phase.value} · {noun} {state.step}{total}"


def stillness(still: Stillness) -> str:
    """``no step after 60 s; it is at data.py:41``."""
    other = "no step after" if still.first else "no further step for"
    where = f"; it is at {Path(still.file).name}:{still.line}" if still.file else ""
    return f"{other} {still.seconds:g} s{where}"


def plural(number: int, noun: str) -> str:
    """``1 step``, ``2 steps``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _scaled(value: float, units: tuple[tuple[float, str], ...]) -> str:
    factor, label = units[0]
    for next_factor, next_label in units[1:]:
        # 999.5 would round to 1000 of the smaller unit.
        if abs(value) < 0.9995 * next_factor:
            break
        factor, label = next_factor, next_label
    return f"{_significant(value / factor)} {label}"


def _significant(value: float) -> str:
    """Three significant digits without an exponent; all digits from 1000 on."""
    if abs(value) >= 99.95:
        return str(_half_up(value))
    if abs(value) >= 9.995:
        return f"{value:.1f}"
    return f"{value:.2f}"


def _trimmed(number: str) -> str:
    """``1.5`` for ``1.50``, ``96`` for ``96.0``."""
    return number.rstrip("0").rstrip(".") if "." in number else number


def _half_up(value: float) -> int:
    """Round half away from zero: a person expects 2.5 to become 3, ``round`` says 2."""
    return int(value + 0.5) if value >= 0 else -int(-value + 0.5)
