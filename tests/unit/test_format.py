"""Every unit's edge: the text on both sides of each change of unit or of digits."""

from __future__ import annotations

import time
from datetime import datetime, timezone

import pytest

from stepscope import format as fmt
from stepscope.session.model import Phase, Progress


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (0, "0 ms"),
        (0.000_01, "<1 µs"),
        (0.000_999, "<1 µs"),
        (0.001, "1.00 µs"),
        (0.009_994, "9.99 µs"),
        (0.009_996, "10.0 µs"),
        (0.099_94, "99.9 µs"),
        (0.099_96, "100 µs"),
        (0.999_4, "999 µs"),
        (0.999_6, "1.00 ms"),
        (1.234, "1.23 ms"),
        (9.994, "9.99 ms"),
        (9.996, "10.0 ms"),
        (12.3, "12.3 ms"),
        (99.94, "99.9 ms"),
        (99.96, "100 ms"),
        (999.4, "999 ms"),
        (999.6, "1.00 s"),
        (1_234, "1.23 s"),
        (59_960, "60.0 s"),
        (1_234_000, "1234 s"),
    ],
)
def test_duration(ms: float, text: str) -> None:
    assert fmt.duration(ms) == text


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (1, "1 B"),
        (999, "999 B"),
        (1_000, "1 kB"),
        (1_500, "1.5 kB"),
        (1_024, "1.02 kB"),
        (999_400, "999 kB"),
        (999_600, "1 MB"),
        (96_000_000, "96 MB"),
        (96_440_000, "96.4 MB"),
        (100_000_000, "100 MB"),
        (999_600_000, "1 GB"),
        (23_640_000_000, "23.6 GB"),
        (2_500_000_000_000, "2.5 TB"),
        (-2_500, "-2.5 kB"),
    ],
)
def test_size(size: int, text: str) -> None:
    assert fmt.size(size) == text


@pytest.mark.parametrize(
    ("fraction", "text"),
    [
        (0, "0 %"),
        (0.000_1, "<1 %"),
        (0.009_9, "<1 %"),
        (0.01, "1 %"),
        (0.014_9, "1 %"),
        (0.015, "2 %"),
        (0.025, "3 %"),
        (0.41, "41 %"),
        (0.99, "99 %"),
        (0.995, ">99 %"),
        (0.999_9, ">99 %"),
        (1, "100 %"),
        (1.2, "120 %"),
    ],
)
def test_share(fraction: float, text: str) -> None:
    assert fmt.share(fraction) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (1, "1"),
        (0.001, "<0.01"),
        (0.1, "0.1"),
        (2.5, "2.5"),
        (9.99, "9.99"),
        (12.34, "12.3"),
        (99.96, "100"),
        (1234, "1,234"),
        (1234.5, "1,235"),
    ],
)
def test_count(value: float, text: str) -> None:
    assert fmt.count(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0 FLOP"), (999, "999 FLOP"), (1_000, "1.00 kFLOP"), (12.34e9, "12.3 GFLOP")],
)
def test_amount(value: float, text: str) -> None:
    assert fmt.amount(value, "FLOP") == text


@pytest.mark.parametrize(("value", "text"), [(1, "1.00×"), (1.416, "1.42×"), (23.44, "23.4×")])
def test_ratio(value: float, text: str) -> None:
    assert fmt.ratio(value) == text


@pytest.mark.parametrize(
    ("state", "text"),
    [
        (Progress(Phase.STARTING), "starting"),
        (Progress(Phase.WARMING_UP, 2), "warming up · step 2"),
        (Progress(Phase.MEASURING, 3, 10), "measuring · step 3 of 10"),
        (Progress(Phase.ANALYSING, 1, 4), "analysing · part 1 of 4"),
    ],
)
def test_progress(state: Progress, text: str) -> None:
    assert fmt.progress(state) == text


def test_plural() -> None:
    assert fmt.plural(1, "step") == "1 step"
    assert fmt.plural(1200, "step") == "1,200 steps"


def test_a_moment_is_a_time_today_and_a_date_on_other_days(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    now = datetime(2026, 11, 30, 23, 0, tzinfo=timezone.utc)
    assert fmt.moment("2026-11-30T14:05:59Z", now) == "14:05"
    assert fmt.moment("2026-11-30T14:05:59.25+00:00", now) == "14:05"
    assert fmt.moment("2026-11-29T14:05:59Z", now) == "2026-11-29"
    assert fmt.moment("some time ago", now) == ""
