"""The line clock, on every Python >= 3.10 of this machine (torch is not needed)."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

from stepscope.agent.lineclock import HOT_NS_PER_EVENT, Event, hot_codes
from stepscope.timeline.model import NOWHERE, Place
from stepscope.timeline.tracks import Places, build_tracks
from tests.agent.interpreters import found_interpreters

AGENT = Path(__file__).parents[3] / "pyserver" / "stepscope" / "agent"
DRIVER = Path(__file__).parent / "clock_driver.py"
INTERPRETERS = {
    f"{major}.{minor}": path
    for (major, minor), path in found_interpreters().items()
    if (major, minor) >= (3, 10)
}


@dataclass(frozen=True)
class Case:
    """A program and the lines that run in it: each number once for each unbroken stretch."""

    name: str
    source: str
    lines: str
    older: str | None = None  # the lines before Python 3.13, where they differ
    inside: bool = False


CASES = [
    Case(
        "calls",
        """
        def double(x):
            return 2 * x

        def run(_):
            a = double(1)
            return double(a) + a
        """,
        "5 2 5 6 2 6",
    ),
    Case(
        "list_comprehension",
        """
        def square(x):
            return x * x

        def run(_):
            values = [1, 2]
            return [square(value) for value in values]
        """,
        "5 6 2 6 2 6",
    ),
    Case(
        "other_comprehensions",
        """
        def one():
            return 1

        def run(_):
            a = {one() for _ in range(2)}
            b = {one(): 1 for _ in a}
            c = sum(one() for _ in b)
            return [[one() for _ in range(1)] for _ in range(2)]
        """,
        "5 2 5 2 5 6 2 6 7 2 7 8 2 8 2 8",
    ),
    Case(
        "lambdas",
        """
        twice = lambda x: 2 * x
        table = {
            "half": lambda x: x / 2,
        }

        def run(_):
            a = twice(1)
            b = table["half"](a)
            return sorted([a, b], key=lambda x: -x)
        """,
        "7 1 7 8 3 8 9",
    ),
    Case(
        "generators",
        """
        import functools

        def same(function):
            return function

        def half(x):
            return x / 2

        def inner():
            yield 1
            yield 2

        @same
        @functools.wraps(inner)
        def outer():
            first = half((yield 1))
            yield from inner()
            yield first

        def run(_):
            stream = outer()
            next(stream)
            stream.send(4)
            return list(stream)
        """,
        # What is done with the value sent in belongs to the line of the yield.
        "21 22 16 22 23 16 7 16 17 10 17 23 24 17 10 11 17 24 17 11 17 18 24 18 24",
    ),
    Case(
        "generator_from_before_the_start",
        """
        def half(x):
            return x / 2

        def numbers():
            for value in range(3):
                yield half(value)

        def prepare():
            stream = numbers()
            next(stream)
            return stream

        def run(stream):
            one = next(stream)
            return one
        """,
        "14 6 5 6 2 6 14 15",
    ),
    Case(
        "generator_that_is_left",
        """
        def numbers():
            try:
                yield 1
                yield 2
            finally:
                done = True

        def run(_):
            for value in numbers():
                break
            stream = numbers()
            next(stream)
            try:
                stream.throw(ValueError)
            except ValueError:
                caught = True
            return caught
        """,
        "9 2 3 9 10 3 6 10 11 12 2 3 12 13 14 3 6 14 15 16 17",
    ),
    Case(
        "exceptions",
        """
        def fail(x):
            return 1 // x

        def through(x):
            return fail(x)

        def run(_):
            try:
                through(0)
            except ZeroDivisionError:
                caught = 1
            finally:
                done = 2
            return caught
        """,
        "8 9 5 2 5 9 10 11 13 14",
    ),
    Case(
        "recursion",
        """
        def factorial(n):
            if n < 2:
                return 1
            return n * factorial(n - 1)

        def run(_):
            return factorial(3)
        """,
        "7 2 4 2 4 2 3 4 7",
    ),
    Case(
        "decorators",
        """
        import functools

        def logged(function):
            @functools.wraps(function)
            def wrapper(*args):
                before = 1
                result = function(*args)
                return result + before
            return wrapper

        @logged
        def plain(x):
            return x

        class Callable:
            def __init__(self, function):
                self.function = function

            def __call__(self, x):
                return self.function(x)

        @Callable
        @logged
        def doubly(x):
            return x + 1

        def run(_):
            a = plain(1)
            return doubly(a)
        """,
        "28 6 7 13 7 8 28 29 20 6 7 25 7 8 20 29",
    ),
    Case(
        "multiline_call",
        """
        def add(*values):
            return sum(values)

        def run(_):
            return add(
                add(
                    1,
                    2,
                ),
                add(3,
                    4),
            )
        """,
        "5 6 7 8 6 2 6 10 11 10 2 10 5 2 5",
    ),
    Case(
        "multiline_methods",
        """
        class Chain:
            def first(self):
                return self

            def second(self):
                return self

        def run(_):
            chain = Chain()
            return (
                chain
                .first()
                .second()
            )
        """,
        "9 11 12 3 12 13 6 13 10",
    ),
    Case(
        "class_bodies",
        """
        def value():
            return 1

        def run(_):
            class Model:
                size = value()

                def forward(self):
                    return self.size

            return Model().forward()
        """,
        "5 6 2 6 8 5 11 9 11",
    ),
    Case(
        "with_statement",
        """
        class Scope:
            def __enter__(self):
                entered = 1
                return self

            def __exit__(self, *exc):
                left = 1
                return True

        def run(_):
            with Scope():
                inside = 1
            with Scope() as a, \\
                    Scope() as b:
                raise ValueError
            return a is b
        """,
        "11 3 4 11 12 11 7 8 11 13 3 4 13 14 3 4 14 15 14 7 8 14 13 7 8 13 16",
        # The second manager is entered and left in the line of the statement.
        "11 3 4 11 12 11 7 8 11 13 3 4 13 14 13 3 4 13 14 15 13 7 8 13 7 8 13 16",
    ),
    Case(
        "properties_and_operators",
        """
        class Vector:
            @property
            def size(self):
                return 1

            def __add__(self, other):
                return self

            def __getattr__(self, name):
                return name

        def run(_):
            a = Vector()
            b = a + a
            return (a.size, b.other)
        """,
        "13 14 7 14 15 4 15 10 15",
    ),
    Case(
        "coroutines",
        """
        class Ready:
            def __await__(self):
                yield
                return 1

        async def work():
            a = await Ready()
            return a

        def run(_):
            task = work()
            task.send(None)
            try:
                task.send(None)
            except StopIteration:
                done = 1
            return done
        """,
        "11 12 7 3 7 12 13 14 7 3 4 7 8 14 15 16 17",
    ),
    Case(
        "foreign_code",
        """
        import functools
        import json

        def key(value):
            return -value

        def run(_):
            text = json.dumps({"a": [1, 2]})
            values = json.loads(text)["a"]
            return functools.reduce(lambda a, b: a + key(b), values)
        """,
        "8 9 10 5 10",
    ),
    Case(
        "loops",
        """
        def run(_):
            total = 0
            for i in range(2):
                total += i
            else:
                total += 10
            while total > 9:
                total -= 1
                if total == 9:
                    break
            return total
        """,
        "2 3 4 3 4 3 6 7 8 9 7 8 9 10 11",
    ),
    Case(
        "started_inside",
        """
        def helper(clock):
            clock.start()
            return 1

        def run(clock):
            before = 1
            value = helper(clock)
            after = value
            clock.stop()
            gone = 2
            return gone
        """,
        "7 2 3 7 8 9",
        inside=True,
    ),
]

SPECIAL: list[dict[str, Any]] = [
    {
        "name": "threads",
        "source": """
            import threading

            def early(start, out):
                start.wait()
                out.append(threading.get_native_id())

            def late(out):
                out.append(threading.get_native_id())

            def prepare():
                start, out = threading.Event(), []
                waiting = threading.Thread(target=early, args=(start, out))
                waiting.start()
                return start, out, waiting

            def run(prepared):
                start, out, waiting = prepared
                start.set()
                waiting.join()
                for _ in range(3):
                    one = threading.Thread(target=late, args=(out,))
                    one.start()
                    one.join()
                return out
        """,
    },
    {
        "name": "hot_loop",
        "set": {"BLOCK": 4096, "HOT_NS_PER_EVENT": 10**9},  # hot however slow this machine is
        "source": """
            def hot():
                total = 0
                for i in range(40_000):
                    total += i
                return total

            def calm():
                a = 1
                return a

            def run(_):
                calm()
                hot()
                return calm()
        """,
    },
    {
        "name": "hot_calls",
        "set": {"BLOCK": 4096, "HOT_NS_PER_EVENT": 10**9},  # hot however slow this machine is
        "source": """
            def tiny(x):
                return x

            def run(_):
                for i in range(10_000):
                    tiny(i)
        """,
    },
    {
        "name": "full_buffer",
        "set": {"BLOCK": 64, "MAX_EVENTS": 1000, "HOT_NS_PER_EVENT": 0},
        "source": """
            def one(i):
                return i

            def run(_):
                for i in range(5000):
                    one(i)
                return last()

            def last():
                return 1
        """,
    },
    {
        "name": "started_again",
        "inside": True,
        "source": """
            def work():
                return 1

            def run(clock):
                clock.start()
                work()
                clock.stop()
                first = len(clock.events)
                work()
                between = len(clock.events)
                clock.start()
                work()
                clock.stop()
                clock.stop()
                return [first, between]
        """,
    },
    {
        "name": "other_tools",
        "inside": True,
        "source": """
            import sys

            def other(frame, event, argument):
                return other

            def run(clock):
                found = {}
                if sys.version_info >= (3, 12):
                    monitoring = sys.monitoring
                    monitoring.use_tool_id(monitoring.PROFILER_ID, "another profiler")
                    clock.start()
                    found["during"] = [monitoring.get_tool(i) for i in range(6)]
                    clock.stop()
                    found["after"] = [monitoring.get_tool(i) for i in range(6)]
                    found["events"] = [monitoring.get_events(i) for i in (2,)]
                    monitoring.free_tool_id(monitoring.PROFILER_ID)
                    return found
                frame = sys._getframe()
                sys.settrace(other)
                frame.f_trace = other
                clock.start()
                clock.stop()
                found["global"] = sys.gettrace() is other
                found["local"] = frame.f_trace is other
                frame.f_trace = None
                sys.settrace(None)
                return found
        """,
    },
    {
        "name": "installed_code",
        "source": """
            import os

            def back(x):
                return x

            def prepare():
                library = {}
                path = os.path.join(ROOT, "site-packages", "library.py")
                text = "def call(function):\\n    a = 1\\n    return function(a)\\n"
                exec(compile(text, path, "exec"), library)
                generated = {}
                exec(compile(text, "<string>", "exec"), generated)
                return library["call"], generated["call"]

            def run(calls):
                for call in calls:
                    call(back)
        """,
    },
]


@pytest.fixture(scope="module", params=INTERPRETERS.values(), ids=list(INTERPRETERS))
def results(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Every case, run by one interpreter."""
    folder = tmp_path_factory.mktemp("user")
    cases: list[dict[str, Any]] = [
        {"name": case.name, "source": source(case.source), "inside": case.inside} for case in CASES
    ]
    for special in SPECIAL:
        text = source(special["source"]).replace("ROOT", repr(str(folder)))
        cases.append({**special, "source": text})
    done = subprocess.run(
        [request.param, str(DRIVER), str(AGENT), str(folder)],
        input=json.dumps(cases).encode("ascii"),
        stdout=subprocess.PIPE,
        check=True,
        timeout=120,
    )
    return json.loads(done.stdout)


def source(text: str) -> str:
    return textwrap.dedent(text).lstrip("\n")


def columns(result: dict[str, Any]) -> tuple[dict[str, list[int]], Places]:
    codes: dict[tuple[str, str, int], int] = {}
    table: dict[str, list[int]] = {"time": [], "thread": [], "code": [], "line": []}
    for when, thread, file, function, first, line in result["events"]:
        number = codes.setdefault((file, function, first), len(codes))
        for name, value in zip(table, (when, thread, number, line), strict=True):
            table[name].append(value)
    return table, Places([{"file": file, "function": name} for file, name, _ in codes])


def lines_of(result: dict[str, Any], thread: int | None = None) -> list[int]:
    """The innermost user line of a thread over time, each unbroken stretch once; without none."""
    table, places = columns(result)
    tracks = build_tracks(table, places, None, {})
    track = tracks[result["main"] if thread is None else thread]
    numbers = [0 if at == NOWHERE else places.all[at].line for at in track.places]
    return [line for line, _ in groupby(numbers) if line]


def test_which_interpreters_there_are() -> None:
    print("the line clock runs on Python", ", ".join(INTERPRETERS))
    assert f"{sys.version_info.major}.{sys.version_info.minor}" in INTERPRETERS


def test_it_uses_what_the_interpreter_has(results: Any) -> None:
    new = results["version"] >= [3, 12]
    assert results["implementation"] == ("MonitoringClock" if new else "TraceClock")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_lines_in_their_order(results: Any, case: Case) -> None:
    older = results["version"] < [3, 13]
    expected = case.older if older and case.older is not None else case.lines
    found = lines_of(results["cases"][case.name])
    assert " ".join(map(str, found)) == expected


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_frames_are_left_in_the_order_in_which_they_were_entered(results: Any, case: Case) -> None:
    stack: list[tuple[str, int]] = []
    for _, _, _, function, first, line in results["cases"][case.name]["events"]:
        if line == 0 or line < -1:
            stack.append((function, first))
        else:
            assert stack[-1] == (function, first)
            if line == -1:
                stack.pop()
    assert stack == ([("run", 5)] if case.inside else [])


def test_times_never_go_back_on_a_thread(results: Any) -> None:
    for result in results["cases"].values():
        for thread in {event[1] for event in result["events"]}:
            times = [event[0] for event in result["events"] if event[1] == thread]
            assert times == sorted(times)


def test_threads_from_before_and_after_the_start(results: Any) -> None:
    result = results["cases"]["threads"]
    early, *late = result["told"]
    assert len({result["main"], early, *late}) == 5, "a thread that ended lent its id to the next"
    assert lines_of(result, early) == [4, 5]
    for thread in late:
        assert lines_of(result, thread) == [8]
    main = lines_of(result)
    assert main[:4] == [17, 18, 19, 20]
    assert main[-1] == 24


def test_a_hot_loop_is_bounded_and_named(results: Any) -> None:
    result = results["cases"]["hot_loop"]
    assert [entry[1] for entry in result["bounded"]] == ["hot"]
    since = result["bounded"][0][3]
    hot = [event for event in result["events"] if event[3] == "hot"]
    assert len(hot) < 80_000 - 4096
    assert all(event[0] <= since or event[5] <= 0 for event in hot), "lines after it was bounded"
    assert hot[-1][5] == -1, "its leaving is still seen"
    # What comes after is told as exactly as what came before.
    assert lines_of(result)[:4] == [12, 8, 9, 12]
    assert lines_of(result)[-4:] == [14, 8, 9, 14]


def test_a_loop_of_tiny_calls_is_bounded_too(results: Any) -> None:
    result = results["cases"]["hot_calls"]
    assert {entry[1] for entry in result["bounded"]} >= {"run"}
    assert len(result["events"]) < 4 * 10_000


def block_of(ns_per_event: int, *codes: CodeType) -> list[Event]:
    return [(n * ns_per_event, 1, code, 5) for n, code in enumerate(codes * 100)]


def test_only_code_that_fills_a_block_fast_is_hot() -> None:
    often, seldom = (lambda: 1).__code__, (lambda: 2).__code__
    mixed = (often, often, often, often, seldom)
    assert hot_codes(block_of(HOT_NS_PER_EVENT - 1, *mixed)) == {often}
    assert hot_codes(block_of(HOT_NS_PER_EVENT + 10, *mixed)) == set()
    entering = [(when, thread, code, 0) for when, thread, code, _ in block_of(1, often)]
    assert hot_codes(entering) == set(), "entering and leaving are always recorded"


def test_the_buffer_has_an_end(results: Any) -> None:
    result = results["cases"]["full_buffer"]
    assert 1000 <= len(result["events"]) <= 1000 + 64
    assert {entry[1] for entry in result["bounded"]} == {"run", "one"}
    assert "last" not in {event[3] for event in result["events"]}


def test_it_can_be_started_again_and_is_silent_between(results: Any) -> None:
    result = results["cases"]["started_again"]
    first, between = result["told"]
    assert first == between > 0
    assert lines_of(result) == [11, 12, 2, 12, 13]


def test_other_tools_get_back_what_they_had(results: Any) -> None:
    told = results["cases"]["other_tools"]["told"]
    if results["version"] < [3, 12]:
        assert told == {"global": True, "local": True}
        return
    nothing = [None] * 6
    before = [*nothing[:2], "another profiler", *nothing[3:]]
    assert told["after"] == before
    assert told["during"] == [*before[:3], "stepscope", *before[4:]]
    assert told["events"] == [0]


def test_installed_and_generated_code_is_not_the_users(results: Any) -> None:
    result = results["cases"]["installed_code"]
    assert {event[2] for event in result["events"]} == {"installed_code.py"}
    assert {event[3] for event in result["events"]} == {"run", "back"}


def test_an_event_costs_something(results: Any) -> None:
    assert results["event_cost_ns"] > 0


def test_places_are_told_by_code_and_line() -> None:
    places = Places([{"file": "a.py", "function": "f"}, {"file": "a.py", "function": "f"}])
    assert places.number(0, 3) == places.number(1, 3) == 0
    assert places.number(1, 4) == 1
    assert places.all == [Place("a.py", 3, "f"), Place("a.py", 4, "f")]
