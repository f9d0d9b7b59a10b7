"""Which process and which thread is recorded; how a spawned child gets the agent."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stepscope.agent.children import with_agent
from stepscope.agent.family import Family
from stepscope.agent.one_thread import OneThread

CONFIG: dict[str, Any] = {"control": 5, "target": 'it\'s "quoted".py'}


def family(tmp_path: Path, words: str = "main") -> Family:
    one = Family(str(tmp_path / "capture"))
    if words == "main":
        one.begin()
    else:
        one.become_child(words)
    return one


def test_the_first_process_to_claim_is_recorded(tmp_path: Path) -> None:
    main, first, second = (family(tmp_path, words) for words in ("main", "one", "two"))
    assert [first.claim(), second.claim(), first.claim(), main.claim()] == [
        True,
        False,
        True,
        False,
    ]
    assert (first.other, second.other, main.other) == (False, True, True)


def test_a_process_that_ends_too_early_leaves_the_place_to_another(tmp_path: Path) -> None:
    family(tmp_path)
    first, second = family(tmp_path, "one"), family(tmp_path, "two")
    assert first.claim()
    first.release()
    assert second.claim()


def test_a_fork_of_the_recorded_process_is_not_recorded(tmp_path: Path) -> None:
    main = family(tmp_path)
    assert main.claim()
    main.become_child("its child")
    assert not main.claim()
    assert not main.mine


def test_the_reader_is_told_of_processes_only_where_there_is_something_to_know(
    tmp_path: Path,
) -> None:
    main = family(tmp_path)
    assert main.claim()
    assert main.notes() == []
    child = family(tmp_path, "Process-1")
    main = family(tmp_path)
    assert child.claim()
    assert child.notes() == ["The steps were made by a child process: Process-1."]
    with Path(child.folder, "trained").open("a") as trained:
        trained.write("0 another\n")
    assert child.notes() == [
        "2 processes trained; this report shows the first of them: Process-1. "
        "The others were not measured."
    ]


@pytest.mark.parametrize(
    "code",
    [
        "from multiprocessing.spawn import spawn_main; spawn_main(tracker_fd=3, pipe_handle=4)",
        "from multiprocessing.forkserver import main; main(3, 4, [], **{})",
    ],
)
def test_a_child_with_a_fresh_interpreter_loads_the_agent_first(code: str) -> None:
    command = with_agent(sys.executable, [sys.executable, "-c", code, "--fork"], CONFIG)
    assert command is not None
    at = command.index("-c") + 1
    assert command[at].endswith("; " + code)
    assert [*command[:at], *command[at + 1 :]] == [sys.executable, "-c", "--fork"]
    # What stands in front is a statement of its own that calls the agent with the same settings.
    prefix = command[at].removesuffix("; " + code)
    told = subprocess.run(
        [
            sys.executable, "-c",
            "import sys, types\n"
            "sys.modules['builtins'].exec = lambda code, names: names.update(\n"
            "    load_agent=lambda: types.SimpleNamespace(join=print))\n" + prefix,
        ],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(told.stdout) == CONFIG


@pytest.mark.parametrize(
    ("path", "command"),
    [
        (sys.executable, ["-c", "from multiprocessing.resource_tracker import main;main(3)"]),
        (sys.executable, ["-m", "multiprocessing.spawn"]),
        ("/other/python", ["-c", "from multiprocessing.spawn import spawn_main; spawn_main()"]),
    ],
    ids=["resource tracker", "no code", "another interpreter"],
)
def test_other_commands_are_left_alone(path: str, command: list[str]) -> None:
    assert with_agent(path, [path, *command], CONFIG) is None


def in_thread(action: Callable[[], bool]) -> bool:
    found: list[bool] = []
    thread = threading.Thread(target=lambda: found.append(action()))
    thread.start()
    thread.join()
    return found[0]


class Threads:
    """``OneThread`` with events that are over at once."""

    def __init__(self) -> None:
        self.changes = 0
        self.now = 0
        self.one = OneThread(lambda: self.now)

    def event(self, kind: str) -> bool:
        counted = self.one.enter(kind)
        if counted:
            self.changes += self.one.taken_over()
            self.one.leave()
        return counted


def test_the_first_threads_events_count() -> None:
    threads = Threads()
    assert threads.event("backward")
    assert not in_thread(lambda: threads.event("backward"))
    assert threads.event("backward")
    assert threads.changes == 0


def test_a_thread_that_trains_takes_over_from_one_that_calls_models() -> None:
    threads = Threads()
    assert threads.event("module")
    trained, finish = threading.Event(), threading.Event()

    def train() -> None:
        if threads.event("optimizer"):
            trained.set()
        finish.wait()

    thread = threading.Thread(target=train)
    thread.start()
    try:
        assert trained.wait(10)
        assert not threads.event("module")
        assert threads.changes == 1
    finally:
        finish.set()
        thread.join()


def test_a_thread_takes_over_from_one_that_has_ended() -> None:
    threads = Threads()
    assert in_thread(lambda: threads.event("optimizer"))
    assert threads.event("backward")
    assert threads.changes == 1


def test_a_thread_takes_over_from_one_that_is_silent() -> None:
    threads = Threads()
    assert threads.event("backward")
    threads.now += 1_000_000_000
    assert in_thread(lambda: [threads.event("backward") for _ in range(8)] == [False] * 7 + [True])


def test_a_thread_that_waits_for_the_interpreter_is_not_silent() -> None:
    threads = Threads()
    assert threads.event("backward")
    threads.now += 50_000_000
    assert not in_thread(lambda: any(threads.event("backward") for _ in range(100)))


def test_a_thread_with_long_steps_is_not_silent_in_one_of_them() -> None:
    threads = Threads()
    assert threads.event("backward")
    threads.now += 3_000_000_000
    assert threads.event("backward")
    threads.now += 5_000_000_000
    assert not in_thread(lambda: any(threads.event("backward") for _ in range(100)))
    threads.now += 10_000_000_000
    assert in_thread(lambda: any(threads.event("backward") for _ in range(8)))


def test_while_an_event_is_dealt_with_no_other_counts() -> None:
    threads = Threads()
    assert threads.one.enter("module")
    assert not in_thread(lambda: any(threads.event("optimizer") for _ in range(20)))
    threads.one.leave()
    assert in_thread(lambda: threads.event("optimizer"))
