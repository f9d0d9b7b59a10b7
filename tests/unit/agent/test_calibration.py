"""What the device can do at best: measured in its first runs, the best of each figure kept."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest

from stepscope.agent import calibration


class FakeTorch:
    """As much of torch as the bookkeeping touches."""

    __version__ = "2.13.0"

    def get_num_threads(self) -> int:
        return 1

    def no_grad(self) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()

    def autocast(self, kind: str, *, enabled: bool) -> contextlib.AbstractContextManager[None]:
        assert kind == "cpu"
        assert not enabled
        return contextlib.nullcontext()


class FakeDevice:
    type = "cpu"


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> Iterator[list[tuple[Any, ...]]]:
    """What the measurements show, in their order; a cache of the test's own."""
    left: list[tuple[Any, ...]] = []

    def measure(torch: Any, device: Any) -> dict[str, Any]:
        return dict(
            zip(("float32", "bfloat16", "bandwidth", "launch_ns"), left.pop(0), strict=True)
        )

    monkeypatch.setattr(calibration, "_measure", measure)
    monkeypatch.setattr(calibration, "_cache_path", lambda: str(tmp_path / "own" / "peaks.json"))
    yield left
    assert not left, "a run did not measure"


def calibrate(name: str = "EPYC") -> tuple[Any, ...]:
    found = calibration.calibrate(FakeTorch(), FakeDevice(), name)
    return tuple(found[key] for key in ("float32", "bfloat16", "bandwidth", "launch_ns"))


def test_a_busy_first_run_does_not_stay_the_peak(measured: list[tuple[Any, ...]]) -> None:
    measured += [(17e9, 1e9, 10e9, 9000.0), (86e9, 2e9, 9e9, 2500.0), (60e9, 1e9, 16e9, 4000.0)]
    assert calibrate() == (17e9, 1e9, 10e9, 9000.0)
    assert calibrate() == (86e9, 2e9, 10e9, 2500.0)
    assert calibrate() == (86e9, 2e9, 16e9, 2500.0)
    assert calibrate() == (86e9, 2e9, 16e9, 2500.0)  # and no measurement any more


def test_a_device_has_runs_of_its_own(measured: list[tuple[Any, ...]]) -> None:
    measured += [(1e9, None, 1e9, 1.0)] * calibration.RUNS + [(5e9, None, 5e9, 5.0)]
    for _ in range(calibration.RUNS):
        assert calibrate()[0] == 1e9
    assert calibrate("H200")[0] == 5e9


def test_what_was_not_measured_is_taken_from_the_run_that_did(
    measured: list[tuple[Any, ...]],
) -> None:
    measured += [(3e9, 4e9, 2e9, 7.0), (None, None, None, 9.0)]
    assert calibrate() == (3e9, 4e9, 2e9, 7.0)
    assert calibrate() == (3e9, 4e9, 2e9, 7.0)


def test_without_a_bandwidth_nothing_is_kept(measured: list[tuple[Any, ...]]) -> None:
    measured += [(3e9, None, None, 7.0), (1e9, None, 2e9, 9.0)]
    assert calibrate()[0] == 3e9
    assert calibrate()[0] == 1e9
