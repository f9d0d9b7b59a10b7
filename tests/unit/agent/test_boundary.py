"""Steps are found in small programs whose calls stand for torch's."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from stepscope.agent.boundary import StepFinder
from stepscope.agent.usercode import UserCode


@dataclass
class Found:
    """What the finder made of a program. ``ticks`` are those since its last change of mind."""

    finder: StepFinder
    ticks: list[int] = field(default_factory=list)  # value of the program's ``n`` at each step
    changes: int = 0

    @property
    def loop(self) -> int | None:
        return self.finder.loop.line if self.finder.loop else None


Find = Callable[..., Found]


@pytest.fixture
def find(tmp_path: Path) -> Find:
    """Run a program in which ``optimizer()``, ``backward()`` and so on are events."""

    def run(source: str, library: str = "") -> Found:
        text = textwrap.dedent(source).lstrip("\n")
        path = tmp_path / "train.py"
        path.write_text(text, encoding="utf-8")
        names: dict[str, object] = {"n": 0}

        def on_tick() -> None:
            n = names["n"]
            assert isinstance(n, int)
            found.ticks.append(n)

        def on_change() -> None:
            found.changes += 1
            found.ticks.clear()

        finder = StepFinder(
            UserCode([str(tmp_path)]), on_tick, on_change, lambda kind: f"{kind}()" in text
        )
        found = Found(finder)

        def event(kind: str) -> Callable[[], None]:
            return lambda: finder.event(kind, sys._getframe(1))

        names.update(
            optimizer=event("optimizer"),
            backward=event("backward"),
            module=event("module"),
            mark=event("explicit"),
        )
        if library:
            folder = tmp_path / "site-packages" / "framework.py"
            exec(compile(textwrap.dedent(library), str(folder), "exec"), names)
        exec(compile(text, str(path), "exec"), names)
        return found

    return run


def test_one_optimizer_step_per_pass(find: Find) -> None:
    found = find(
        """
        for n in range(5):
            backward()
            optimizer()
        """
    )
    assert found.finder.kind == "optimizer"
    assert found.loop == 1
    assert found.ticks == [0, 1, 2, 3, 4]
    assert found.finder.describe().startswith("optimizer steps in the loop at line 1 of ")


def test_an_epoch_loop_around_is_not_the_steps_loop(find: Find) -> None:
    found = find(
        """
        def train(first):
            global n
            for n in range(first, first + 3):
                backward()
                optimizer()

        for epoch in range(2):
            train(10 * epoch)
        """
    )
    assert found.loop == 3
    assert found.ticks == [0, 1, 2, 10, 11, 12]


def test_several_optimizers_in_a_pass_are_one_step(find: Find) -> None:
    found = find(
        """
        for n in range(4):
            backward()
            optimizer()
            backward()
            optimizer()
            optimizer()
        """
    )
    assert found.loop == 1
    assert found.ticks == [0, 1, 2, 3]


def test_several_optimizers_in_a_loop_of_their_own(find: Find) -> None:
    found = find(
        """
        for n in range(4):
            backward()
            for each in range(3):
                optimizer()
        """
    )
    assert found.loop == 1
    assert found.ticks == [0, 1, 2, 3]


def test_a_critic_that_trains_more_often(find: Find) -> None:
    found = find(
        """
        for n in range(5):
            for _ in range(3):
                backward()
                optimizer()
            backward()
            optimizer()
        """
    )
    assert found.loop == 1
    assert len(found.ticks) == len(set(found.ticks)) >= 4


def test_accumulation_by_a_condition(find: Find) -> None:
    found = find(
        """
        for n in range(12):
            backward()
            if n % 4 == 3:
                optimizer()
        """
    )
    assert found.loop == 1
    assert found.ticks == [3, 7, 11]


def test_accumulation_by_an_inner_loop(find: Find) -> None:
    found = find(
        """
        for n in range(4):
            for micro in range(3):
                backward()
            optimizer()
        """
    )
    assert found.loop == 1
    assert found.ticks == [0, 1, 2, 3]


def test_a_closure(find: Find) -> None:
    found = find(
        """
        def closure():
            backward()

        def step():
            closure()
            optimizer()

        for n in range(4):
            step()
        """
    )
    assert found.loop == 8
    assert found.ticks == [0, 1, 2, 3]


def test_a_step_in_a_function_of_its_own(find: Find) -> None:
    found = find(
        """
        def forward_backward():
            backward()

        def update():
            optimizer()

        while True:
            forward_backward()
            update()
            n += 1
            if n == 4:
                break
        """
    )
    assert found.loop == 7
    assert found.ticks == [0, 1, 2, 3]
    assert found.finder.loop is not None
    assert found.finder.loop.mark == (8, 8)


def test_no_loop_at_all(find: Find) -> None:
    found = find("backward(); optimizer()\nn = 1\nbackward(); optimizer()\n")
    assert found.loop is None
    assert found.ticks == [0, 1]
    assert found.finder.describe() == "optimizer steps (no loop of the user's own around them)"


def test_backward_counts_where_no_optimizer_is_to_come(find: Find) -> None:
    found = find("for n in range(4):\n    module()\n    backward()\n")
    assert (found.finder.kind, found.loop, found.ticks) == ("backward", 1, [1, 2, 3])


def test_backward_waits_for_an_optimizer_that_the_source_has(find: Find) -> None:
    program = "for n in range(10):\n    backward()\nif n < 0:\n    optimizer()\n"
    assert find(program).finder.kind is None
    assert find(program.replace("10", "100")).finder.kind == "backward"


def test_module_calls_are_the_last_resort(find: Find) -> None:
    program = "for n in range(4):\n    module()\n"
    found = find(program)
    # The loop is known from the second call on; what was counted before is void.
    assert (found.finder.kind, found.loop, found.ticks) == ("module", 1, [1, 2, 3])
    assert find(program + "if n < 0:\n    backward()\n").finder.kind is None


def test_several_module_calls_in_a_pass_are_one_step(find: Find) -> None:
    found = find("for n in range(3):\n    module()\n    module()\n")
    assert (found.loop, found.ticks) == (1, [0, 1, 2])


def test_marks_win_over_everything(find: Find) -> None:
    found = find(
        """
        for n in range(4):
            for _ in range(2):
                backward()
                optimizer()
            mark()
        """
    )
    assert found.finder.kind == "explicit"
    assert found.loop is None
    assert found.ticks == [0, 1, 2, 3]


def test_a_warm_up_loop_before_the_real_one(find: Find) -> None:
    found = find(
        """
        for n in range(3):
            backward()
            optimizer()
        for n in range(10, 14):
            backward()
            optimizer()
        """
    )
    assert found.loop == 4
    assert found.ticks == [10, 11, 12, 13]


def test_a_frameworks_loop_hides_the_users_loops_around_it(find: Find) -> None:
    found = find(
        """
        def work():
            backward()
            optimizer()

        for n in range(2):
            fit(work)
        """,
        library="""
        def fit(work):
            for _ in range(3):
                work()
        """,
    )
    assert found.loop is None
    assert found.ticks == [0, 0, 0, 1, 1, 1]


def test_a_chosen_loop_is_the_step_whatever_happens_in_it(tmp_path: Path) -> None:
    text = (
        "for n in range(3):\n    chosen()\n    for _ in range(2):\n        module()\noptimizer()\n"
    )
    path = str(tmp_path / "train.py")
    ticks: list[int] = []
    names: dict[str, int] = {}
    finder = StepFinder(
        UserCode([str(tmp_path)]), lambda: ticks.append(names["n"]), lambda: None, bool
    )
    finder.index.know(path, text.encode())
    loop = finder.index.starting_at(path, 1)
    assert loop is not None
    finder.choose(loop)
    events = {
        kind: lambda kind=kind: finder.event(kind, sys._getframe(1))
        for kind in ("chosen", "module", "optimizer")
    }
    exec(compile(text, path, "exec"), {**events}, names)
    assert ticks == [0, 1, 2]
    assert finder.describe() == f"passes of the chosen loop at line 1 of {path}"
    assert finder.counts["module"] == 6
