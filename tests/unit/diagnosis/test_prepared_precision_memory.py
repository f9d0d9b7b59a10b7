"""Constructed recordings -> facts on precision, graphs and memory, and what the rules say of them.

The loop is on line 1 and has its passes on lines 2 to 5: forward, a second forward, backward, step.
"""

from __future__ import annotations

from typing import Any

import pytest

from stepscope.attribution.attribute import Attributed, attribute
from stepscope.diagnosis.engine import diagnose
from stepscope.diagnosis.facts.graphs import Graphs
from stepscope.diagnosis.facts.memory import Memory
from stepscope.diagnosis.facts.precision import Precision
from stepscope.diagnosis.prepare import prepare_facts
from tests.timelines import FILE, Tape

MS = 1_000_000
STEP = 10 * MS
SOURCE = """\
for x in data:
    out = net(x)
    target = teacher(x)
    out.backward(retain_graph=True)
    opt.zero_grad(set_to_none=False)
"""
SCHEMAS = dict.fromkeys(("aten::mm", "aten::copy_", "aten::zero_", "aten::add"), "new")
LOOP = {"file": FILE, "line": 1, "end_line": 5, "mark": [2, 2]}
EVIDENCE = {
    "precision": {"tensor_cores": None, "scalers": 0},
    "memory": {"device_bytes": None, "optimizers": []},
}


def tape(steps: int, begin: int = 0, kind: str = "map", **facts: Any) -> Tape:
    """Passes of 10 ms: 4 forward, 2 forward of another, 2 backward, 2 step."""
    ticks = [begin + STEP * number + 9 * MS for number in range(steps + 1)]
    values = {
        "source": SOURCE,
        "loop": LOOP,
        "schemas": SCHEMAS,
        "evidence": EVIDENCE,
        "clean_ns": [STEP],
    }
    made = Tape(*ticks, kind=kind, **(values | facts))
    for number in range(steps + 2):
        start = begin + number * STEP
        for line, after in ((1, 0), (2, 1), (3, 4 * MS), (4, 6 * MS), (5, 8 * MS)):
            made.line(start + after, line)
    return made


def both(**facts: Any) -> tuple[Tape, Tape]:
    """A mapping pass of three whole steps, and a detail pass of one that goes on into the next."""
    mapped = tape(3, **facts)
    detail = tape(2, 100 * MS, kind="detail")
    mapped.also(detail)
    detail.resident(110 * MS)
    return mapped, detail


def attributed(mapped: Tape) -> Attributed:
    return attribute(mapped.timeline())


def found(mapped: Tape) -> set[tuple[str, int]]:
    facts = prepare_facts(attributed(mapped))
    assert facts.failed == ()
    return {(finding.rule, finding.line) for finding in diagnose(facts).findings}


def graphs_of(mapped: Tape) -> Graphs:
    known = prepare_facts(attributed(mapped)).measured(Graphs)
    assert known is not None
    return known


def memory_of(mapped: Tape) -> Memory:
    known = prepare_facts(attributed(mapped)).measured(Memory)
    assert known is not None
    return known


# -- precision ----------------------------------------------------------------------------------

SINGLE = "[[64, 64], [64, 64]]|float,float"
DOUBLE = "[[64, 64], [64, 64]]|double,double"


def test_an_operators_time_is_divided_among_the_types_that_it_was_given() -> None:
    mapped, detail = both()
    for number in range(4):
        mapped.op("aten::mm", number * STEP + 1 * MS, number * STEP + 4 * MS)
    detail.op("aten::mm", 111 * MS, 112 * MS, inputs=SINGLE)
    detail.op("aten::mm", 112 * MS, 114 * MS, inputs=DOUBLE)
    facts = prepare_facts(attributed(mapped)).measured(Precision)
    assert facts is not None
    assert facts.tf32 is None
    assert {work.dtypes[0]: work.ms for work in facts.work} == pytest.approx(
        {"float32": 1.0, "float64": 2.0}
    )
    assert {(work.line, work.matmul) for work in facts.work} == {((FILE, 2), True)}
    assert ("float64", 2) in found(mapped)


def test_on_a_gpu_they_are_divided_by_their_operations() -> None:
    mapped, detail = both(device="cuda:0")
    for number in range(4):
        op = mapped.op("aten::mm", number * STEP + 1 * MS, number * STEP + 2 * MS)
        at = number * STEP
        mapped.launched(op, (at + 1 * MS, at + 1 * MS + 1), (at + 2 * MS, at + 8 * MS))
    detail.op("aten::mm", 111 * MS, 113 * MS, inputs=SINGLE)
    wide = "[[64, 64], [64, 128]]|c10::Half,c10::Half"
    detail.op("aten::mm", 113 * MS, 114 * MS, inputs=wide)
    facts = prepare_facts(attributed(mapped)).measured(Precision)
    assert facts is not None
    assert facts.tf32 is False
    assert {work.dtypes[0]: work.ms for work in facts.work} == pytest.approx(
        {"float32": 2.0, "float16": 4.0}
    )


def test_without_the_runs_own_word_or_the_detail_pass_precision_is_not_measured() -> None:
    mapped, _ = both(evidence={})
    assert prepare_facts(attributed(mapped)).measured(Precision) is None
    alone = tape(3)
    alone.op("aten::mm", 11 * MS, 12 * MS)
    assert prepare_facts(attributed(alone)).measured(Precision) is None


# -- graphs -------------------------------------------------------------------------------------


def train(mapped: Tape, passes: int, again: bool = False, teacher: bool = True) -> None:
    """Per step one node for line 2, gone back through, and three for line 3, which are not."""
    for number in range(passes):
        at, first = number * STEP, 10 * number
        mapped.op("aten::mm", at + 1 * MS, at + 3 * MS, sequence=first)
        for index in range(3 if teacher else 0):
            start = at + 4 * MS + index * MS // 2
            mapped.op("aten::mm", start, start + MS // 2, sequence=first + 1 + index)
        mapped.node("MmBackward0", at + 6 * MS, at + 7 * MS, first)
        if again:
            mapped.node("MmBackward0", at + 7 * MS, at + 8 * MS, first)
        # The next number, which no node has taken yet.
        mapped.op("aten::zero_", at + 8 * MS, at + 9 * MS, sequence=first + (4 if teacher else 1))


def test_a_forward_pass_whose_nodes_nobody_goes_through() -> None:
    mapped, _ = both()
    train(mapped, 4)
    known = graphs_of(mapped)
    unused = {graph.line[1]: (graph.unused, graph.ms) for graph in known.unused}
    assert unused[3][0] == 3.0
    assert unused[3][1] == pytest.approx(1.5)
    assert 2 not in unused
    assert ("graph-in-evaluation", 3) in found(mapped)


def test_what_is_used_or_made_without_gradients_builds_no_graph_for_nobody() -> None:
    mapped, _ = both()
    train(mapped, 4, teacher=False)
    assert 3 not in {graph.line[1] for graph in graphs_of(mapped).unused}
    assert not {rule for rule, _ in found(mapped)} & {"graph-in-evaluation"}


def test_nodes_that_are_gone_through_again_are_counted() -> None:
    mapped, _ = both()
    train(mapped, 3)
    assert graphs_of(mapped).passed_again == 0
    assert graphs_of(mapped).backward_lines == ((FILE, 4),)
    mapped, _ = both()
    train(mapped, 3, again=True)
    assert graphs_of(mapped).passed_again == 1.0


def test_zeros_that_a_call_of_zero_grad_writes() -> None:
    mapped, _ = both()
    train(mapped, 4)
    (fill,) = graphs_of(mapped).zero_fills
    assert (fill.line, fill.calls) == ((FILE, 5), 1.0)
    assert fill.ms == pytest.approx(1.0)
    assert ("zero-filled-gradients", 5) in found(mapped)


def looks(detail: Tape, *rows: tuple[list[int], list[int]]) -> None:
    """(numbers of tensors with a graph, longest sum) of three looks."""
    detail.window_facts["graphs"] = [
        {"step": step, "tensors": len(numbers), "sequences": numbers, "sum": chain}
        for step, (numbers, chain) in enumerate(rows)
    ]


def test_a_sum_that_grows_stands_on_the_line_of_its_latest_addition() -> None:
    mapped, detail = both()
    mapped.op("aten::mm", 11 * MS, 12 * MS)
    detail.op("aten::mm", 111 * MS, 112 * MS, sequence=40)
    detail.op("aten::add", 117 * MS, 118 * MS, sequence=41)
    looks(detail, ([7], [5, 7, 1]), ([8], [6, 8, 1]), ([41], [7, 41, 1]))
    kept = graphs_of(mapped).kept
    assert kept is not None
    assert (kept.sum_growth, kept.sum_length, kept.sum_line) == (1.0, 7, (FILE, 4))
    assert kept.tensor_growth == 0
    assert ("kept-graph", 4) in found(mapped)


def test_a_residual_networks_own_sum_does_not_grow() -> None:
    mapped, detail = both()
    mapped.op("aten::mm", 11 * MS, 12 * MS)
    detail.op("aten::add", 117 * MS, 118 * MS, sequence=41)
    looks(detail, ([7], [12, 7, 1]), ([8], [12, 8, 2]), ([41], [12, 41, 30]))
    kept = graphs_of(mapped).kept
    assert kept is not None
    assert kept.sum_growth == 0
    assert "kept-graph" not in {rule for rule, _ in found(mapped)}


def test_a_loop_that_adds_up_more_terms_in_each_step_keeps_nothing() -> None:
    mapped, detail = both()
    mapped.op("aten::mm", 11 * MS, 12 * MS)
    detail.op("aten::add", 117 * MS, 118 * MS, sequence=41)
    # More tensors in each step and longer sums, and all of them new.
    looks(detail, ([1], [3, 1, 1]), ([5, 6], [4, 6, 5]), ([39, 40, 41], [5, 41, 39]))
    kept = graphs_of(mapped).kept
    assert kept is not None
    assert (kept.sum_growth, kept.tensor_growth) == (0, 0)


def test_tensors_with_graphs_that_become_more_name_the_lines_of_the_last_step() -> None:
    mapped, detail = both()
    mapped.op("aten::mm", 11 * MS, 12 * MS)
    detail.op("aten::mm", 111 * MS, 112 * MS, sequence=40)
    none = [0, -1, -1]
    looks(detail, ([7, 2], none), ([7, 8, 3], none), ([7, 8, 40], none))
    kept = graphs_of(mapped).kept
    assert kept is not None
    assert (kept.tensor_growth, kept.tensor_lines) == (1.0, ((FILE, 2),))


def test_without_three_looks_nothing_is_said_of_kept_graphs() -> None:
    mapped, _ = both()
    mapped.op("aten::mm", 11 * MS, 12 * MS)
    assert graphs_of(mapped).kept is None


# -- memory -------------------------------------------------------------------------------------


def test_what_outlives_the_next_step_is_held_and_what_is_replaced_is_not() -> None:
    mapped, detail = both()
    mapped.op("aten::mm", 11 * MS, 12 * MS)
    detail.allocate(111 * MS, 5, 100)  # stays
    detail.allocate(112 * MS, 6, 50)  # replaced in the next pass
    detail.allocate(121 * MS, 8, 100)
    detail.free(122 * MS, 6, 50)
    detail.allocate(113 * MS, 7, 30)  # gone within the step
    detail.free(114 * MS, 7, 30)
    detail.owned(129 * MS)
    memory = memory_of(mapped)
    assert memory.held == (((FILE, 2), 100),)
    assert memory.growth_bytes == 150
    assert graphs_of(mapped).outliving_bytes == 150
    assert ("held-tensors", 2) in found(mapped)


def test_where_the_recording_ends_with_the_step_nothing_is_known_to_be_held() -> None:
    mapped, detail = both()
    mapped.op("aten::mm", 11 * MS, 12 * MS)
    detail.allocate(111 * MS, 5, 100)
    memory = memory_of(mapped)
    assert memory.held is None
    assert "held-tensors" not in {rule for rule, _ in found(mapped)}


def test_what_the_next_pass_has_not_made_anew_yet_is_not_held() -> None:
    mapped, detail = both()
    mapped.op("aten::mm", 11 * MS, 12 * MS)
    detail.allocate(119 * MS, 5, 100)  # on line 5, on which the last step ends
    detail.allocate(129 * MS - 1, 6, 100)
    detail.allocate(115 * MS, 7, 100)  # on line 3, which makes nothing in the next pass
    detail.owned(129 * MS)
    assert memory_of(mapped).held == ()


def test_gradients_and_state_that_stay_are_not_held() -> None:
    mapped, detail = both()
    mapped.op("aten::mm", 11 * MS, 12 * MS)
    detail.allocate(117 * MS, 5, 100)
    detail.allocate(127 * MS, 8, 100)
    detail.owned(119 * MS, gradient=[5])
    detail.owned(129 * MS, gradient=[5])
    assert memory_of(mapped).held == ()


def test_results_of_the_last_step_stand_on_the_line_that_lets_go_of_them() -> None:
    mapped = tape(3, source=SOURCE.replace("retain_graph=True", ""))
    mapped.op("aten::mm", 11 * MS, 12 * MS)
    detail = tape(2, 100 * MS, kind="detail")
    mapped.also(detail)
    detail.resident(109 * MS, (5, 400, True), (6, 500, False), (7, 90, False), parameter=[6])
    detail.free(109 * MS + 1, 7, 90)  # before the peak
    detail.allocate(112 * MS, 8, 1000)
    detail.free(113 * MS, 5, 400)
    assert memory_of(mapped).old == (((FILE, 2), 400),)
    assert ("old-results", 2) in found(mapped)


def test_on_a_gpu_the_allocators_counts_of_the_undisturbed_steps_are_taken() -> None:
    evidence = EVIDENCE | {"memory": {"device_bytes": 10_000, "optimizers": []}}
    mapped, detail = both(device="cuda:0", evidence=evidence)
    op = mapped.op("aten::mm", 11 * MS, 14 * MS)
    mapped.launched(op, (11 * MS, 11 * MS + 1), (12 * MS, 14 * MS))
    mapped.runtime("cudaMalloc", 12 * MS, 13 * MS)
    mapped.runtime("cudaMallocHost", 13 * MS, 14 * MS)
    mapped.runtime("cudaFree", 21 * MS, 23 * MS)
    clean = Tape(200 * MS, 210 * MS, 220 * MS, kind="clean")
    clean.window_facts["allocator"] = [
        {"allocated": 100, "retries": 1},
        {"allocated": 300, "retries": 2},
    ]
    mapped.also(clean)
    detail.window_facts["allocator"] = {"peak": 4000, "reserved": 8500, "now": 0}
    detail.allocate(112 * MS, 8, 1000, device=0)
    memory = memory_of(mapped)
    assert (memory.peak_bytes, memory.reserved_bytes, memory.device_bytes) == (4000, 8500, 10_000)
    assert (memory.growth_bytes, memory.retries) == (100.0, 0.5)
    (asked,) = memory.requests
    assert asked.line == (FILE, 2)
    assert asked.calls == 1.0
    assert asked.ms == pytest.approx(1.5)
    assert ("memory-requests", 2) in found(mapped)


def test_the_only_place_that_makes_an_optimizer_is_its_line() -> None:
    entry = {
        "class": "Adam", "foreach": False, "fused": False, "can_fuse": True,
        "parameter_bytes": 4, "state_bytes": 8,
    }  # fmt: skip
    evidence = EVIDENCE | {"memory": {"device_bytes": None, "optimizers": [entry]}}
    one, two = "opt = optim.Adam(\n  p)\n", "Adam(a)\nAdam(b)\n"
    for source, line in ((one, 1), (two, None), ("", None)):
        mapped, detail = both(evidence=evidence, source=source)
        mapped.op("aten::mm", 11 * MS, 12 * MS)
        detail.allocate(112 * MS, 8, 1000)
        (known,) = memory_of(mapped).optimizers
        assert known.line == (None if line is None else (FILE, line))
