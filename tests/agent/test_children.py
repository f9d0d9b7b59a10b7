"""Targets whose steps are made by child processes or threads: which one is recorded, what is said.

``Project.run`` checks after every run that no process is left, none of the group either.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from stepscope.attribution.check import self_check
from stepscope.attribution.model import LineCost
from stepscope.report.model import Report
from stepscope.session.model import FailureKind
from tests.agent.attempts import Outcome, Project, project

__all__ = ["project"]
pytestmark = pytest.mark.agent

# The loop stands at line 8 of every target, its body at lines 9 to 12.
TRAIN = """
import sys
import torch
import torch.multiprocessing as mp


def train(rank, steps, share=None):
    w = share if share is not None else torch.rand(4, 3, requires_grad=True)
    for step in range(steps):
        {body}
        loss = w.square().sum()
        loss.backward()
        w.data -= 0.1 * w.grad; w.grad = None
    print("finished", rank, flush=True)
    return 7


"""
LOOP, BODY, LOSS = 8, 9, 10
MANY = 1_000_000


def training(main: str, body: str = "pass") -> str:
    lines = ["if __name__ == '__main__':", *(f"    {line}" for line in main.strip().splitlines())]
    return TRAIN.format(body=body).lstrip("\n") + "\n".join(lines) + "\n"


def check_report(outcome: Outcome, target: Path, process: str, trained: int) -> Report:
    report = outcome.reported
    run = report.profile.run
    assert re.fullmatch(process, run.process), run.process
    assert run.boundary == f"backward passes in the loop at line {LOOP} of {target}"
    assert self_check(report.profile) == []
    lines = {line.line for line in report.profile.lines if line.cost_ms > 0}
    assert {LOSS, LOSS + 1, LOSS + 2} <= lines <= set(range(LOOP, LOSS + 3))
    said = [note for note in report.profile.notes if "process" in note]
    if trained == 1:
        assert said == [f"The steps were made by a child process: {run.process}."]
    else:
        named = re.sub(r"^rank . of ., ", "", run.process)
        assert said == [
            f"{trained} processes trained; this report shows the first of them: {named}. "
            "The others were not measured."
        ]
    assert b"Traceback" not in outcome.output, outcome.output.decode()
    assert b"finished" not in outcome.output
    return report


# Children of the other two are among the loader's workers and the spawned ranks below.
@pytest.mark.parametrize(
    "method",
    ["fork", *(pytest.param(each, marks=pytest.mark.slow) for each in ("spawn", "forkserver"))],
)
def test_hogwild(project: Project, method: str) -> None:
    """Two processes train one shared model: the first to step is recorded, the other is told of."""
    target = project.file(
        training(
            f"context = mp.get_context({method!r})\n"
            "shared = torch.rand(4, 3).share_memory_().requires_grad_()\n"
            f"arguments = [(n, {MANY}, shared) for n in range(2)]\n"
            "children = [context.Process(target=train, args=each) for each in arguments]\n"
            "for child in children:\n    child.start()\n"
            "for child in children:\n    child.join()\nprint('finished all')"
        )
    )
    outcome = project.run(target)
    name = {"fork": "Fork", "spawn": "Spawn", "forkserver": "ForkServer"}[method]
    check_report(outcome, target, rf"{name}Process-\d \(pid \d+\), started by {method}", 2)


def test_spawned_ranks_that_wait_for_each_other(project: Project) -> None:
    """mp.spawn, gloo on loopback: one rank is recorded while the other waits in a collective."""
    body = "torch.distributed.all_reduce(w.data)"
    main = (
        "import socket\n"
        "with socket.socket() as free:\n"
        "    free.bind(('127.0.0.1', 0))\n    port = free.getsockname()[1]\n"
        f"mp.spawn(ranked, args=(port, {MANY}), nprocs=2)\nprint('finished all')"
    )
    ranked = (
        "def ranked(rank, port, steps):\n"
        "    torch.distributed.init_process_group('gloo', f'tcp://127.0.0.1:{port}', "
        "rank=rank, world_size=2)\n"
        "    train(rank, steps)\n\n\n"
    )
    target = project.file(training(main, body).replace("if __name__", ranked + "if __name__"))
    outcome = project.run(target)
    process = r"rank [01] of 2, SpawnProcess-\d \(pid \d+\), started by spawn"
    report = check_report(outcome, target, process, 2)
    assert any(line.line == BODY for line in report.profile.lines)


def test_a_pool_of_an_executor(project: Project) -> None:
    target = project.file(
        training(
            f"from concurrent.futures import ProcessPoolExecutor\n"
            f"with ProcessPoolExecutor(1) as pool:\n"
            f"    print('finished', pool.submit(train, 0, {MANY}).result())"
        )
    )
    check_report(project.run(target), target, r"ForkProcess-1 \(pid \d+\), started by fork", 1)


def test_a_fork_by_hand(project: Project) -> None:
    target = project.file(
        training(
            f"import os\nchild = os.fork()\nif child == 0:\n    train(0, {MANY})\n"
            "else:\n    os.waitpid(child, 0)"
        )
    )
    check_report(project.run(target), target, r"pid \d+", 1)


def test_a_trial_step_before_the_children_train(project: Project) -> None:
    """One step in the main process (does it fit, does it run) is not the training."""
    target = project.file(
        training(
            f"w = torch.rand(3, requires_grad=True)\nw.sum().backward()\n"
            f"child = mp.get_context('fork').Process(target=train, args=(0, {MANY}))\n"
            "child.start()\nchild.join()\nprint('finished all')"
        )
    )
    check_report(project.run(target), target, r"ForkProcess-1 \(pid \d+\), started by fork", 1)


def test_children_that_make_few_steps(project: Project) -> None:
    """The second try plans for the steps that a child makes, as it does for the main process."""
    target = project.file(
        training("child = mp.Process(target=train, args=(0, 12))\nchild.start()\nchild.join()")
    )
    outcome = project.run(target)
    assert outcome.reported.profile.run.process.startswith("Process-1 (pid ")
    assert outcome.output.count(b"finished 0") == 1  # the first try; the second was stopped


@pytest.mark.parametrize(
    ("start", "process"),
    [
        ("mp.spawn(train, args=(100,), nprocs=1)", "SpawnProcess-1 (pid"),
        (
            "child = mp.get_context('fork').Process(target=train, args=(0, 100))\n"
            "child.start()\nchild.join()",
            "ForkProcess-1 (pid",
        ),
        pytest.param(
            "with mp.get_context('fork').Pool(1) as pool:\n    pool.apply(train, (0, 100))",
            "of a pool, ",
            marks=pytest.mark.slow,  # forked, as the one above
        ),
    ],
    ids=["spawn", "fork", "pool"],
)
def test_a_child_that_raises(project: Project, start: str, process: str) -> None:
    target = project.file(training(start, body="assert step < 0, 'not today'"))
    failed = project.run(target).failed
    assert failed.kind is FailureKind.TARGET_FAILED
    assert failed.message.startswith(f"train.py, in the child process {process}")
    assert failed.message.endswith(
        f"raised AssertionError at train.py:{BODY} before its first step: not today"
    )
    assert (failed.file, failed.line) == (str(target), BODY)


def test_the_main_process_trains_and_children_do_something_else(project: Project) -> None:
    target = project.file(
        training(
            "import time\nchild = mp.get_context('fork').Process(target=time.sleep, args=(1000,))\n"
            f"child.start()\ntrain(0, {MANY})"
        )
    )
    outcome = project.run(target)
    assert outcome.reported.profile.run.process == "main"
    assert outcome.reported.profile.notes == ()


# Worker processes of loaders

LOADER = """
import os
import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset


def transform(index):
    begin = time.perf_counter()
    time.sleep(0.01)
    os.write(1, b"took %d us\\n" % ((time.perf_counter() - begin) * 1e6))
    return torch.full((3,), float(index))


class Rows(Dataset):
    def __len__(self):
        return 8000

    def __getitem__(self, index):
        row = transform(index)
        return row


class Stream(IterableDataset):
    def __iter__(self):
        for index in range(8000):
            row = transform(index)
            yield row


def join(rows):
    rows = list(rows)
    return torch.stack(rows)


if __name__ == "__main__":
    loader = DataLoader({data}(), batch_size=2, num_workers=2, collate_fn=join, {options})
    w = torch.rand(3, requires_grad=True)
    for batch in loader:
        loss = (batch @ w).square().sum()
        loss.backward()
        w.data -= 1e-9 * w.grad; w.grad = None
"""


def line_with(text: str, part: str, nth: int = 0) -> int:
    return [n for n, line in enumerate(text.splitlines(), 1) if part in line][nth]


@pytest.mark.parametrize(
    ("data", "options"),
    [
        ("Rows", "multiprocessing_context='fork'"),
        ("Rows", "multiprocessing_context='spawn'"),
        pytest.param("Rows", "persistent_workers=True", marks=pytest.mark.slow),  # forked, too
        ("Stream", "multiprocessing_context='forkserver'"),
    ],
    ids=["fork", "spawn", "persistent", "stream"],
)
def test_lines_of_a_loaders_workers(project: Project, data: str, options: str) -> None:
    text = LOADER.format(data=data, options=options).lstrip("\n")
    outcome = project.run(project.file(text))
    profile = outcome.reported.profile
    assert profile.run.process == "main"
    assert self_check(profile) == []
    by_line = {line.line: line for line in profile.lines}

    def worker(part: str, nth: int = 0) -> LineCost:
        return by_line[line_with(text, part, nth)]

    once = [
        worker("rows = list(rows)"), worker("return torch.stack"),
    ]  # fmt: skip
    twice = [
        worker("begin = "), worker("time.sleep"), worker("os.write"), worker("return torch.full"),
        worker("row = transform", 0 if data == "Rows" else 1),
    ]  # fmt: skip
    assert [line.worker_calls for line in once] == [1] * len(once)
    assert [line.worker_calls for line in twice] == [2] * len(twice)
    # It runs beside the step: none of it is in the step's own ledgers.
    assert {(line.cost_ms, line.host_ms, line.work_ms) for line in (*once, *twice)} == {(0, 0, 0)}
    took = worker("time.sleep").worker_ms
    measured = sorted(int(us) / 1e3 for us in re.findall(rb"took (\d+) us", outcome.output))
    # Two rows per batch, and as long as the transform itself has measured.
    assert took is not None
    assert 2 * 0.9 * measured[0] <= took <= 2 * measured[-1]
    training_lines = [line for line in profile.lines if line.cost_ms > 0]
    assert {line.worker_ms for line in training_lines} == {None}


# Threads

THREADS = {
    "thread": "import threading\nthread = threading.Thread(target=train, args=(0, {many}))\n"
    "thread.start()\nthread.join()",
    "executor": "from concurrent.futures import ThreadPoolExecutor\n"
    "with ThreadPoolExecutor(1) as pool:\n    pool.submit(train, 0, {many}).result()",
    "two threads": "import threading\n"
    "threads = [threading.Thread(target=train, args=(n, {many})) for n in range(2)]\n"
    "[thread.start() for thread in threads]\n[thread.join() for thread in threads]",
    "asyncio": "import asyncio\nasync def go():\n    train(0, {many})\n    train(0, {many})\n"
    "async def all():\n    return await asyncio.gather(go(), go(), return_exceptions=True)\n"
    "asyncio.run(all())",
    "a thread that follows another": "import threading\nfor n in range(40):\n"
    "    thread = threading.Thread(target=train, args=(n, 3 if n < 2 else {many}))\n"
    "    thread.start()\n    thread.join()",
}


# One thread or task beside the main thread is also in foreign/, where each step is looked at.
_ALONE = ("thread", "executor", "asyncio")


@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=pytest.mark.slow if kind in _ALONE else ()) for kind in THREADS],
)
def test_training_beside_the_main_thread(project: Project, kind: str) -> None:
    target = project.file(training(THREADS[kind].format(many=MANY)))
    outcome = project.run(target)
    profile = outcome.reported.profile
    assert profile.run.boundary == f"backward passes in the loop at line {LOOP} of {target}"
    assert self_check(profile) == []
    assert {LOSS, LOSS + 1, LOSS + 2} <= {line.line for line in profile.lines if line.host_ms > 0}
    assert profile.coverage.host > 0.5
    assert b"Traceback" not in outcome.output, outcome.output.decode()
