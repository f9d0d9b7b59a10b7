"""Every planted operator is found on its line, forward and backward. Nothing here is timed."""

from __future__ import annotations

import dataclasses
from collections import Counter
from pathlib import Path

import pytest

from stepscope.attribution.check import self_check
from tests.agent.conftest import Corpus
from tests.agent.planting import CORPUS, Plant, Program, programs
from tests.agent.running import NODE, Op, Run, table

pytestmark = pytest.mark.agent

PROGRAMS = programs()
STEADY = [program for program in PROGRAMS if "varying" not in program.flags]
WORDS = {
    "explicit": "the script's own step() calls",
    "optimizer": "optimizer steps",
    "backward": "backward passes",
    "module": "outermost calls of modules that own parameters",
}
MAX_NAMED = 6  # operators that the report names per line


def each(chosen: list[Program]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("program", chosen, ids=lambda program: program.name)


def counted(run: Run, kind: str, found: list[Op]) -> list[int]:
    """How many a step. An operator that runs another of its own name counts once."""
    inner = {id(below) for op in found for below in op.below}
    per_step = Counter(op.step for op in found if id(op) not in inner)
    return [per_step[step] for step in range(run.recording(kind).steps)]


def wrong_count(plant: Plant, counts: list[int]) -> list[str]:
    if plant.count is None:
        return [] if sum(counts) else [f"{plant}: not found"]
    expected = [plant.count] * len(counts)
    return [] if counts == expected else [f"{plant}: {counts} times in the steps"]


def test_every_kind_of_program_is_there() -> None:
    assert len(PROGRAMS) >= 30
    assert all(program.forward for program in PROGRAMS)
    assert sum(len(program.forward) for program in PROGRAMS) >= 150
    assert sum(len(program.backward) for program in PROGRAMS) >= 100


@each(PROGRAMS)
def test_planted_operators_are_on_their_lines(program: Program, corpus: Corpus) -> None:
    run = corpus.run(program)
    # Shapes are in the detail recording only, operators of other threads in the map recording only.
    kind = "map" if "threads" in program.flags else "detail"
    problems: list[str] = []
    for plant in program.forward:
        if kind == "map":
            plant = dataclasses.replace(plant, shapes=())
        found = [op for op in run.inside(kind) if plant.matches(op.name, op.shapes)]
        problems += [f"{plant}: {op}" for op in found if op.owner != (plant.file, plant.line)]
        problems += wrong_count(plant, counted(run, kind, found))
    assert not problems, "\n".join(problems)


@each([program for program in PROGRAMS if program.backward])
def test_planted_nodes_and_all_below_are_on_the_forward_line(
    program: Program, corpus: Corpus
) -> None:
    run = corpus.run(program)
    # Where a forward is run again inside a node, its operators keep their own lines.
    recomputed = (
        {(p.file, p.line) for p in program.forward} if "recomputing" in program.flags else set()
    )
    problems: list[str] = []
    for plant in program.backward:
        here = (plant.file, plant.line)
        nodes = [op for op in run.inside("detail") if is_node(plant, op)]
        # One name on several lines: each line has its number of them, and no other line has any.
        known = {
            (p.file, p.line)
            for p in program.backward
            if p.name == plant.name and p.shapes == plant.shapes
        }
        problems += [f"{plant}: {node}" for node in nodes if node.owner not in known]
        nodes = [node for node in nodes if node.owner == here]
        problems += wrong_count(plant, counted(run, "detail", nodes))
        for node in nodes:
            if not node.backward:
                problems.append(f"{plant}: {node} is not taken for backward")
            for op in node.below:
                if op.owner not in {here, *recomputed} or not op.backward:
                    problems.append(f"{plant}: below the node {op}")
    assert not problems, "\n".join(problems)


def is_node(plant: Plant, op: Op) -> bool:
    if op.name != NODE + plant.name:
        return False
    return not plant.shapes or any(
        below.shapes[: len(plant.shapes)] == plant.shapes for below in op.below
    )


@each(STEADY)
def test_every_step_of_both_recordings_says_the_same(program: Program, corpus: Corpus) -> None:
    run = corpus.run(program)
    tables = {}
    for kind in ("map", "detail"):
        inside = [op for op in run.inside(kind) if op.on_step_thread]
        for step in range(run.recording(kind).steps):
            tables[kind, step] = table([op for op in inside if op.step == step])
    first = tables["map", 0]
    assert first
    for key, other in tables.items():
        assert other == first, f"{key}: {(other - first) or (first - other)}"


@each(PROGRAMS)
def test_operators_have_a_line_of_the_program(program: Program, corpus: Corpus) -> None:
    run = corpus.run(program)
    for kind in ("map", "detail"):
        inside = run.inside(kind)
        nowhere = [op for op in inside if op.owner is None]
        assert len(nowhere) <= 0.01 * len(inside), f"{kind}: {sorted({op.name for op in nowhere})}"
        files = {op.owner[0] for op in inside if op.owner is not None}
        assert all(Path(file).is_relative_to(CORPUS) for file in files), files
    unnamed = {op.name for op in run.inside("map") if op.owner is None and op.self_ns > 0}
    named = {op.name for op in run.profile.unattributed.ops}
    assert unnamed <= named or len(named) == MAX_NAMED, unnamed - named


@each(PROGRAMS)
def test_the_ledgers_add_up(program: Program, corpus: Corpus) -> None:
    profile = corpus.run(program).profile
    assert self_check(profile) == []
    assert profile.coverage.work >= 0.99
    assert profile.memory is not None


@each(PROGRAMS)
def test_steps_are_the_ones_that_the_program_says(program: Program, corpus: Corpus) -> None:
    run = corpus.run(program)
    facts = run.timeline.facts
    assert facts["boundary_kind"] == program.kind
    words = WORDS[program.kind]
    if program.loop is None:
        assert program.kind == "explicit"
        assert run.profile.run.boundary.startswith(words)
    else:
        file, line = program.loop
        assert run.profile.run.boundary == f"{words} in the loop at line {line} of {file}"
    assert run.profile.run.steps == 3
    assert {kind: run.recording(kind).steps for kind in ("lines", "map", "detail")} == {
        "lines": 3,
        "map": 3,
        "detail": 1,  # the first one only shows which memory outlives a step
    }


@each([program for program in PROGRAMS if program.name == "loader_epochs"])
def test_processes_that_start_during_a_recording_record_only_what_is_asked_for(
    program: Program, corpus: Corpus
) -> None:
    run = corpus.run(program)
    batches = sum(recording.kind == "worker" for recording in run.timeline.recordings)
    rows = run.output.count(b"a worker is being recorded")
    # Four rows a batch. One batch may be on its way when the recording ends, one may come too late.
    assert 1 <= batches <= rows / 4 <= batches + 2
    in_workers = {line.line for line in run.profile.lines if line.worker_ms is not None}
    in_step = {line.line for line in run.profile.lines if line.cost_ms > 0}
    assert in_workers
    assert not in_workers & in_step
