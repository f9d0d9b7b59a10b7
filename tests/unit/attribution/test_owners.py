"""Which line an operator belongs to, forward and backward, on constructed recordings."""

from __future__ import annotations

from stepscope.attribution.owners import Owned, own
from stepscope.timeline.model import NOWHERE, Timeline
from tests.timelines import BACKWARD_THREAD, Tape, recording_of


def owned_of(tape: Tape) -> tuple[Timeline, Owned]:
    timeline = tape.timeline()
    return timeline, own(timeline, recording_of(timeline))


def owner_lines(tape: Tape, *operators: int) -> list[int | None]:
    timeline, owned = owned_of(tape)
    lines = []
    for operator in operators:
        place = owned.owner[operator]
        lines.append(None if place == NOWHERE else timeline.places[place].line)
    return lines


def test_a_forward_operator_belongs_to_the_line_that_ran_when_it_started() -> None:
    tape = Tape(0, 100)
    tape.line(0, 1)
    tape.line(50, 2)
    first, second = tape.op("aten::mm", 0, 40), tape.op("aten::relu", 50, 60)
    assert owner_lines(tape, first, second) == [1, 2]


def test_an_operator_before_any_line_belongs_to_none() -> None:
    tape = Tape(0, 100)
    tape.line(50, 2)
    assert owner_lines(tape, tape.op("aten::mm", 10, 40)) == [None]


def test_a_called_frames_operators_are_the_innermost_lines_and_then_the_callers_again() -> None:
    tape = Tape(0, 100)
    tape.line(0, 1)
    tape.enter(10, "forward")
    before = tape.op("aten::a", 11, 12)
    tape.line(15, 30, function="forward")
    inside = tape.op("aten::b", 20, 25)
    tape.leave(40, "forward")
    after = tape.op("aten::c", 45, 50)
    assert owner_lines(tape, before, inside, after) == [1, 30, 1]


def test_nesting_gives_parents_self_times_and_children() -> None:
    tape = Tape(0, 100)
    tape.line(0, 1)
    outer = tape.op("aten::linear", 0, 50)
    # Starts with its parent; the longer one is the parent whichever was written down first.
    inner = tape.op("aten::t", 0, 10)
    other = tape.op("aten::addmm", 20, 45)
    _, owned = owned_of(tape)
    assert [owned.parent[i] for i in (outer, inner, other)] == [-1, outer, outer]
    assert [owned.self_time[i] for i in (outer, inner, other)] == [15, 10, 25]
    assert owned.children[outer] == 2
    assert owned.order == [outer, inner, other]


def test_operators_of_different_threads_do_not_nest() -> None:
    tape = Tape(0, 100)
    tape.line(0, 1)
    outer = tape.op("aten::linear", 0, 50)
    other = tape.op("aten::mm", 10, 20, thread=BACKWARD_THREAD)
    _, owned = owned_of(tape)
    assert owned.parent[other] == -1
    assert owned.self_time[outer] == 50


def backward_pass() -> Tape:
    """Forward on lines 1 (sequence 7) and 2 (sequence 8), backward from 100 on line 3."""
    tape = Tape(0, 300)
    tape.line(0, 1)
    tape.op("aten::mm", 10, 20, sequence=7)
    tape.line(30, 2)
    tape.op("aten::relu", 40, 50, sequence=8)
    tape.line(100, 3)
    return tape


def test_a_backward_node_and_all_below_it_belong_to_the_forward_line() -> None:
    tape = backward_pass()
    node = tape.node("ReluBackward0", 110, 130, 8)
    below = tape.op("aten::threshold_backward", 115, 125)
    other = tape.node("MmBackward0", 140, 160, 7)
    timeline, owned = owned_of(tape)
    assert owner_lines(tape, node, node + 1, below, other) == [2, 2, 2, 1]
    assert all(owned.backward[i] for i in (node, node + 1, below, other))
    assert timeline.places[owned.place[below]].line == 3, "it *ran* under the backward call"


def test_the_same_holds_on_a_thread_that_runs_no_user_line() -> None:
    tape = backward_pass()
    node = tape.node("MmBackward0", 140, 160, 7, thread=BACKWARD_THREAD)
    below = tape.op("aten::mm", 145, 155, thread=BACKWARD_THREAD)
    assert owner_lines(tape, node, below) == [1, 1]


def test_a_node_whose_forward_was_not_recorded_belongs_to_the_line_that_waits_for_it() -> None:
    tape = backward_pass()
    here = tape.node("MmBackward0", 140, 150, 6)
    there = tape.node("MmBackward0", 160, 170, 5, thread=BACKWARD_THREAD)
    assert owner_lines(tape, here, there) == [3, 3]


def test_an_operator_that_made_several_nodes_owns_them_all() -> None:
    """Writing into a view makes its own node and CopySlices, which takes the next number."""
    tape = Tape(0, 300)
    tape.line(0, 1)
    tape.op("aten::sub_", 10, 20, sequence=7)
    tape.line(30, 2)
    tape.op("aten::sigmoid_", 40, 50, sequence=10)
    tape.line(100, 3)
    tape.op("aten::ones_like", 101, 102, sequence=11)
    nodes = [
        tape.node("AnyBackward0", at, at + 5, 7 + n) for n, at in enumerate((110, 120, 130, 140))
    ]
    assert owner_lines(tape, *nodes) == [1, 1, 1, 2]


def test_accumulating_a_gradient_belongs_to_the_node_that_ran_before_it() -> None:
    tape = backward_pass()
    tape.node("ReluBackward0", 105, 109, 8)
    tape.node("MmBackward0", 110, 130, 7)
    accumulate = tape.op(
        "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad", 135, 150
    )
    own_event = tape.op("torch::autograd::AccumulateGrad", 136, 149, scope=1)
    below = tape.op("aten::add_", 140, 145)
    assert owner_lines(tape, accumulate, own_event, below) == [1, 1, 1]


def test_a_hooked_node_is_found_by_the_event_below_the_engines() -> None:
    tape = backward_pass()
    tape.node("ReluBackward0", 105, 109, 8)
    # With a hook on the node the engine's event carries no sequence number.
    engine = tape.op("autograd::engine::evaluate_function: MmBackward0", 110, 150)
    node = tape.op("MmBackward0", 112, 130, scope=1, sequence=7, forward_thread=1)
    below = tape.op("aten::mm", 115, 125)
    assert owner_lines(tape, engine, node, below) == [1, 1, 1]


def test_what_a_hook_does_belongs_to_the_hooks_own_line() -> None:
    tape = backward_pass()
    engine = tape.op("autograd::engine::evaluate_function: MmBackward0", 110, 190)
    node = tape.op("MmBackward0", 112, 130, scope=1, sequence=7, forward_thread=1)
    tape.enter(140, "hook")
    tape.line(141, 60, function="hook")
    hook = tape.op("aten::norm", 145, 155)
    tape.leave(160, "hook")
    rest = tape.op("aten::mm", 170, 180)
    _, owned = owned_of(tape)
    assert owner_lines(tape, engine, node, hook, rest) == [1, 1, 60, 1]
    assert owned.backward[hook], "it ran as part of the backward pass"


def test_a_custom_functions_backward_is_its_own_lines() -> None:
    tape = Tape(0, 300)
    tape.line(0, 1)
    tape.op("Square", 5, 20, sequence=7)
    tape.line(100, 3)
    node = tape.node("SquareBackward", 110, 190, 7)
    tape.enter(120, "Square.backward")
    tape.line(121, 50, function="Square.backward")
    first = tape.op("aten::mul", 125, 135)
    tape.line(140, 51, function="Square.backward")
    second = tape.op("aten::mul", 145, 155)
    tape.leave(160, "Square.backward")
    assert owner_lines(tape, node, first, second) == [1, 50, 51]


def test_a_forward_recomputed_inside_backward_owns_its_own_backward() -> None:
    tape = Tape(0, 400)
    tape.line(0, 1)
    tape.op("CheckpointFunction", 5, 20, sequence=7)
    tape.line(100, 3)
    tape.node("CheckpointFunctionBackward", 110, 300, 7)
    tape.enter(120, "block")
    tape.line(121, 80, function="block")
    again = tape.op("aten::mm", 125, 135, sequence=20)
    tape.leave(150, "block")
    node = tape.node("MmBackward0", 160, 200, 20)
    below = tape.op("aten::mm", 165, 195)
    assert owner_lines(tape, again, node, below) == [80, 80, 80]


def test_a_double_backward_belongs_to_the_first_forward_line() -> None:
    tape = backward_pass()
    # grad(create_graph=True): the operators of the first backward are forward of the second.
    tape.node("MmBackward0", 110, 130, 7)
    first = tape.op("aten::mm", 115, 125, sequence=30)
    tape.line(150, 4)
    second = tape.node("MmBackward0", 160, 180, 30)
    below = tape.op("aten::mm", 165, 175)
    assert owner_lines(tape, first, second, below) == [1, 1, 1]


def test_the_same_sequence_number_of_two_forward_threads_is_told_apart() -> None:
    tape = Tape(0, 300)
    tape.line(0, 1)
    tape.line(0, 90, function="worker", thread=300)
    tape.op("aten::mm", 10, 20, sequence=7)
    tape.op("aten::mm", 10, 20, sequence=7, thread=300)
    tape.line(100, 3)
    mine = tape.node("MmBackward0", 110, 130, 7, forward_thread=1)
    theirs = tape.node("MmBackward0", 140, 160, 7, forward_thread=3)
    assert owner_lines(tape, mine, theirs) == [1, 90]


def test_a_later_step_with_the_same_sequence_number_wins() -> None:
    tape = Tape(0, 100, 200)
    tape.line(0, 1)
    tape.op("aten::mm", 10, 20, sequence=7)
    tape.line(100, 2)
    tape.op("aten::relu", 110, 120, sequence=7)
    assert owner_lines(tape, tape.node("ReluBackward0", 130, 150, 7)) == [2]
