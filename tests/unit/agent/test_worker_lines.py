"""What the recorded process gathers from its loaders' workers, and how long it waits for it."""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from stepscope.agent import workers
from stepscope.agent.capture import Capture, Window, write_capture
from stepscope.agent.hooks import Loaders
from stepscope.agent.lineclock import CodeTable, to_columns


class Clock:
    """Stands for ``time``: to sleep is what makes it later."""

    def __init__(self, while_asleep: Callable[[], None] = lambda: None) -> None:
        self.now = 0.0
        self._while_asleep = while_asleep

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self._while_asleep()


class Thing:
    """A loader or its iterator."""

    def __init__(self, **settings: Any) -> None:
        vars(self).update(settings)


def reading(folder: Path, *workers_of_each: int) -> tuple[workers.Workers, list[Thing]]:
    """A process that reads one loader for each number of workers, and their iterators."""
    loaders = Loaders(lambda _frame: None)
    iterators = []
    for count in workers_of_each:
        iterators.append(Thing())
        loaders.iterating(iterators[-1], Thing(num_workers=count))
    agent: Any = SimpleNamespace(family=SimpleNamespace(folder=str(folder)), loaders=loaders)
    process = workers.Workers(agent)
    process._shared = workers._share(str(folder / "asked"))
    process.ask(True)
    return process, iterators


def leave_batch(folder: Path) -> None:
    window = Window("worker", 1, 2, [1, 2], facts={"bounded": []})
    window.tables["clock"] = to_columns([], CodeTable())
    capture = Capture({}, [], [], [window], {})
    write_capture(str(folder / "worker-7-1"), capture)


def test_without_workers_nothing_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "time", clock := Clock())
    process, iterators = reading(tmp_path, 0, 0)
    assert process.gather([]) == []
    assert clock.now == 0.0
    assert len(iterators) == 2  # they were read all the time


def test_what_workers_left_that_are_gone_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "time", clock := Clock())
    process, iterators = reading(tmp_path, 2)
    iterators.clear()
    gc.collect()
    leave_batch(tmp_path)
    assert [window.kind for window in process.gather([])] == ["worker"]
    assert clock.now == 0.0


def test_workers_in_the_middle_of_a_batch_are_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def later() -> None:
        if clock.now > 0.5:
            leave_batch(tmp_path)

    monkeypatch.setattr(workers, "time", clock := Clock(later))
    process, iterators = reading(tmp_path, 0, 2)
    assert len(process.gather([])) == 1
    assert len(iterators) == 2


def test_workers_that_do_nothing_are_not_waited_for_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "time", clock := Clock())
    process, iterators = reading(tmp_path, 2)
    assert process.gather([]) == []
    assert clock.now == pytest.approx(workers._WAIT_S, abs=0.05)
    assert len(iterators) == 1
