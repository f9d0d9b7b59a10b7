from __future__ import annotations

import pytest

from stepscope.report.evidence import describe_evidence, describe_gain
from tests import factories as make


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("wait_ms", 1.5, ("wait", "1.50 ms")),
        ("ms", 1.5, ("time", "1.50 ms")),
        ("peak_bytes", 96_000_000, ("peak", "96 MB")),
        ("share", 0.41, ("share", "41 %")),
        ("data_share", 0.41, ("data share", "41 %")),
        ("share_of_step", 0.41, ("share of step", "41 %")),
        ("speedup_ratio", 1.5, ("speedup", "1.50×")),
        ("workers", 4, ("workers", "4")),
        ("per_step", 0.5, ("per step", "0.5")),
        ("kind", "item", ("kind", "item")),
    ],
)
def test_units_come_from_names(name: str, value: float | str, words: tuple[str, str]) -> None:
    assert describe_evidence(make.finding(evidence={name: value})) == [words]


@pytest.mark.parametrize(
    ("gain", "text"),
    [
        (None, ""),
        ((0.0, 0.0), ""),
        ((0.0, 3.0), "Would save up to 3.00 ms per step (10 % of it)."),
        ((3.0, 3.0), "Would save about 3.00 ms per step (10 % of it)."),
        ((1.5, 3.0), "Would save 1.50 ms to 3.00 ms per step (up to 10 % of it)."),
    ],
)
def test_gain(gain: tuple[float, float] | None, text: str) -> None:
    assert describe_gain(make.finding(gain_ms=gain), make.profile()) == text
