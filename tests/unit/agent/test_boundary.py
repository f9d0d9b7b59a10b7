"""Steps are found in small programs whose calls stand for torch's."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from stepscope.agent.boundary import Engine, StepFinder
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
    """Run a program in which ``optimizer()``, ``backward()`` and so on are events.

    ``library`` runs as an installed package; its loop is announced by ``begin`` and ``end``.
    """

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
            batch=event("framework"),
            begin=lambda updates: finder.engine_begins(Engine("batches of a framework", updates)),
            end=finder.engine_ends,
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
    assert (found.finder.kind, found.loop, found.ticks) == ("backward", 1, [0, 1, 2, 3])


def test_backward_waits_for_an_optimizer_that_the_source_has(find: Find) -> None:
    program = "for n in range(10):\n    backward()\nif n < 0:\n    optimizer()\n"
    assert find(program).finder.kind is None
    assert find(program.replace("10", "100")).finder.kind == "backward"


def test_module_calls_are_the_last_resort(find: Find) -> None:
    program = "for n in range(4):\n    module()\n"
    found = find(program)
    # The loop is known from the second call on, and the first one lay in it too.
    assert (found.finder.kind, found.loop, found.ticks) == ("module", 1, [0, 1, 2, 3])
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
    assert found.finder.describe().startswith("the script's own step() calls in the loop at line 1")
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


def test_of_loops_that_take_turns_the_first_is_the_steps(find: Find) -> None:
    found = find(
        """
        for epoch in range(5):
            for n in range(10 * epoch, 10 * epoch + 3):
                backward()
                optimizer()
            for n in range(1000, 1002):
                backward()
                optimizer()
        """
    )
    assert found.loop == 2
    assert found.ticks == [10, 11, 12, 20, 21, 22, 30, 31, 32, 40, 41, 42]


def test_optimizers_that_step_in_turn_pass_by_pass(find: Find) -> None:
    """The odd pass steps further down than the even one before it, and is a pass of its own."""
    found = find(
        """
        for n in range(6):
            backward()
            if n % 2 == 0:
                optimizer()
            else:
                optimizer()
        """
    )
    assert found.loop == 1
    assert found.ticks == [0, 1, 2, 3, 4, 5]


def test_two_optimizers_in_a_function_that_the_loop_calls(find: Find) -> None:
    found = find(
        """
        def train():
            for token in range(3):
                module()
            backward()
            optimizer()
            optimizer()

        for n in range(4):
            train()
        """
    )
    assert found.loop == 8
    assert found.ticks == [0, 1, 2, 3]


def test_two_optimizers_in_a_loop_inside_a_pass(find: Find) -> None:
    found = find(
        """
        for n in range(4):
            for _ in range(3):
                backward()
                optimizer()
                backward()
                optimizer()
            backward()
            optimizer()
        """
    )
    assert found.loop == 1
    assert found.ticks == [0, 1, 2, 3]


@pytest.mark.parametrize("call", ["handler()", "getattr(handler, '__call__')()"])
def test_a_loop_over_handlers_is_not_the_steps_loop(find: Find, call: str) -> None:
    found = find(
        f"""
        def fire():
            for handler in (module, train, module):
                {call}

        def train():
            backward()

        for n in range(4):
            fire()
        """
    )
    assert (found.finder.kind, found.loop, found.ticks) == ("backward", 8, [0, 1, 2, 3])


@pytest.mark.parametrize("keep", [True, False])
def test_one_batch_in_each_epoch(find: Find, keep: bool) -> None:
    """Whether the second call's frame lies where the first one's lay is otherwise chance."""
    found = find(
        f"""
        import sys
        frames = []

        def train():
            frames.append(sys._getframe() if {keep} else None)
            for batch in range(1):
                backward()

        for n in range(5):
            train()
        """
    )
    assert found.ticks == [0, 1, 2, 3, 4]


def test_tokens_after_a_prompt(find: Find) -> None:
    found = find(
        """
        def generate():
            global n
            module()
            for n in range(20):
                module()

        for prompt in range(3):
            generate()
        """
    )
    assert (found.finder.kind, found.loop) == ("module", 4)
    assert found.ticks[-20:] == list(range(20))
    assert len(found.ticks) > 40


def test_a_few_calls_in_a_row_are_part_of_the_step(find: Find) -> None:
    found = find(
        """
        for n in range(4):
            module()
            for _ in range(3):
                module()
        """
    )
    assert (found.finder.kind, found.loop, found.ticks) == ("module", 1, [0, 1, 2, 3])


def test_the_elements_of_a_comprehension_are_steps(find: Find) -> None:
    found = find(
        """
        def step(number):
            global n
            n = number
            backward()
            optimizer()

        for epoch in range(2):
            [step(10 * epoch + each) for each in range(3)]
        """
    )
    assert found.loop == 8
    assert found.ticks == [0, 1, 2, 10, 11, 12]


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


FIT = """
    def fit(work, batches=4, micro=1, updates=False):
        global n
        begin(updates)
        module()  # a sanity check
        for n in range(batches):
            for _ in range(micro):
                work()
                backward()
                if not updates and _ < micro - 1:
                    batch()
            optimizer()
            batch()
        module()  # an evaluation
        end()
"""


def test_a_framework_says_where_its_steps_end(find: Find) -> None:
    found = find("fit(module)\n", library=FIT)
    assert (found.finder.kind, found.loop, found.ticks) == ("framework", None, [0, 1, 2, 3])
    assert found.changes == 1
    assert found.finder.describe() == "batches of a framework"


def test_an_accumulated_update_of_a_framework_is_one_step(find: Find) -> None:
    found = find("fit(module, micro=3)\n", library=FIT)
    assert (found.ticks, found.changes) == ([0, 1, 2, 3], 1)
    assert found.finder.counts["framework"] == 12


def test_a_framework_that_reports_updates_needs_no_optimizer_of_torch(find: Find) -> None:
    found = find("fit(module, updates=True)\n", library=FIT.replace("optimizer()", "pass"))
    assert (found.finder.kind, found.ticks) == ("framework", [0, 1, 2, 3])


def test_batches_with_hand_written_updates_count_after_a_while(find: Find) -> None:
    found = find("fit(module, batches=80)\n", library=FIT.replace("optimizer()", "pass"))
    assert (found.finder.kind, found.ticks) == ("framework", list(range(64, 80)))


def test_a_framework_that_stays_silent_is_not_waited_for_for_ever(find: Find) -> None:
    found = find("fit(module, batches=80)\n", library=FIT.replace("batch()", "pass"))
    assert (found.finder.kind, found.ticks) == ("optimizer", list(range(64, 80)))


def test_the_users_loop_over_folds_is_not_the_steps_loop(find: Find) -> None:
    found = find("for fold in range(3):\n    fit(module)\n", library=FIT)
    assert (found.finder.kind, found.loop) == ("framework", None)
    assert found.ticks == [0, 1, 2, 3] * 3


def test_an_iteration_that_ends_with_the_call_counts_when_the_next_one_begins(find: Find) -> None:
    found = find(
        "for n in range(5):\n    learn()\n",
        library="""
        def learn():
            begin(False)
            batch()
            backward()
            optimizer()
            end()
        """,
    )
    assert (found.finder.kind, found.ticks) == ("framework", [1, 2, 3, 4])


def test_a_loop_inside_a_frameworks_batch_is_part_of_it(find: Find) -> None:
    found = find(
        """
        def work():
            for critic in range(3):
                backward()
                optimizer()

        fit(work)
        """,
        library=FIT,
    )
    assert (found.finder.kind, found.loop, found.ticks) == ("framework", None, [0, 1, 2, 3])


def test_the_users_own_loop_is_trusted_more_than_a_framework_that_it_calls(find: Find) -> None:
    found = find(
        """
        for own in range(10, 15):
            fit(module, batches=2)
            n = own
            backward()
            optimizer()
        """,
        library=FIT,
    )
    assert (found.finder.kind, found.loop) == ("optimizer", 1)
    assert found.ticks == [10, 11, 12, 13, 14]


def test_the_users_own_loop_after_a_frameworks(find: Find) -> None:
    found = find(
        """
        fit(module)
        for n in range(10, 14):
            backward()
            optimizer()
        """,
        library=FIT,
    )
    assert (found.finder.kind, found.loop, found.ticks) == ("optimizer", 2, [10, 11, 12, 13])


def test_a_frameworks_loop_after_the_users_own(find: Find) -> None:
    found = find(
        """
        for n in range(10, 14):
            backward()
            optimizer()
        fit(module)
        """,
        library=FIT,
    )
    assert (found.finder.kind, found.loop, found.ticks) == ("framework", None, [0, 1, 2, 3])


def test_nothing_is_taken_for_steps_while_a_framework_is_to_come(find: Find) -> None:
    program = "for n in range(9):\n    module()\n    backward()\nif n < 0:\n    framework()\n"
    assert find(program).finder.kind is None


def test_marks_win_over_a_framework(find: Find) -> None:
    found = find("def work():\n    module()\n    mark()\n\nfit(work, micro=2)\n", library=FIT)
    assert (found.finder.kind, found.ticks) == ("explicit", [0, 0, 1, 1, 2, 2, 3, 3])
