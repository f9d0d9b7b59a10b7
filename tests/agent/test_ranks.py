"""Ranks of a distributed run: all of them recorded over the same steps, one that dies told of."""

from __future__ import annotations

import os
import re
import select
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

import stepscope
from stepscope.analysis import analyse_ranks
from stepscope.session.model import CancelToken, FailureKind, Phase, ProfileRequest
from stepscope.session.run import captured
from stepscope.timeline.from_capture import load_timeline
from stepscope.timeline.model import Recording, Timeline
from stepscope.timeline.ranks_folder import RanksFolder, read_ranks_folder
from tests.agent.attempts import WAIT_S, Project, lifeline, project

__all__ = ["project"]
pytestmark = pytest.mark.agent

SLOW_S = 3 * WAIT_S  # three processes import torch, and other tests run beside them

TARGET = """
import sys
import torch
import torch.distributed as dist
from torch import nn

dist.init_process_group("gloo")
rank = dist.get_rank()
if rank == 0:
    open("best.txt", "w").write("new")
dist.barrier()
said = f"as {rank} of {dist.get_world_size()} {sys.argv[1:]}\\n"  # two ranks, one pipe
sys.stdout.write(f"sees {open('best.txt').read()} {said}")
model = nn.parallel.DistributedDataParallel(nn.Sequential(nn.Linear(16, 32), nn.Linear(32, 4)))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(100_000):
    loss = model(torch.randn(8, 16)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("finished")
"""
LOOP = 15  # its line

# Neither optimizers nor DDP: importing what they need takes longer than all the rest.
DIES = """
import os
import signal
import sys

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
w = torch.rand(4, requires_grad=True)
for step in range(100_000):
    w.square().sum().backward()
    dist.all_reduce(w.grad)
    w.data -= 0.1 * w.grad
    if step == 2 and dist.get_rank() == 1 and "raise" in sys.argv:
        raise ValueError("no more data")
    if step == 2 and dist.get_rank() == 1 and "kill" in sys.argv:
        os.kill(os.getpid(), signal.SIGKILL)
print("finished")
"""
RAISES = 15


@pytest.fixture
def target(project: Project) -> Path:
    (project.root / "best.txt").write_text("old", encoding="utf-8")
    return project.file(TARGET)


def request(target: Path, *arguments: str) -> ProfileRequest:
    return ProfileRequest(
        target, arguments, cwd=target.parent, steps=2, warmup=1, timeout_s=SLOW_S, processes=2
    )


def collectives(timeline: Timeline, recording: Recording) -> list[list[tuple[int, int]]]:
    """(start, end) of every all-reduce, step by step."""
    ops = recording.ops
    assert ops is not None
    found = sorted(
        (ops.start[i], ops.start[i] + ops.duration[i])
        for i in range(len(ops))
        if timeline.strings[ops.name[i]] == "gloo:all_reduce"
    )
    return [
        [(start, end) for start, end in found if first <= start < last]
        for first, last in pairwise(recording.bounds)
    ]


def check_same_steps(folder: RanksFolder) -> None:
    """Both ranks have the same steps in every pass; nothing but step numbers was agreed on."""
    assert (folder.world_size, folder.missing, folder.notes) == (2, (), ())
    assert [each.facts["rank"] for each in folder.captures] == [0, 1]
    assert len(folder.hosts) == 1
    ranks = [load_timeline(each.path) for each in folder.captures]
    passes = [
        [(each.kind, each.facts["first_step"], len(each.bounds)) for each in timeline.recordings]
        for timeline in ranks
    ]
    assert passes[0] == passes[1]
    assert [kind for kind, _, _ in passes[0]] == ["clean", "lines", "map", "detail"]
    both = []
    for timeline in ranks:
        recording = timeline.recording("map")
        assert recording is not None
        both.append(collectives(timeline, recording))
    # DDP reduces the gradients of a model this small at once.
    assert [len(step) for step in both[0]] == [len(step) for step in both[1]] == [1, 1]
    for steps in zip(*both, strict=True):
        for calls in zip(*steps, strict=True):
            # Nobody leaves an all-reduce before everybody has come to it: the same one, then.
            assert max(start for start, _ in calls) < min(end for _, end in calls)


def test_ranks_that_torchrun_starts_for_a_profile(project: Project, target: Path) -> None:
    output: list[bytes] = []
    phases: list[Phase] = []
    with captured(
        request(target, "-x"), lambda each: phases.append(each.phase), output.append, CancelToken()
    ) as capture:
        assert capture.name == "rank00000.capture"
        check_same_steps(read_ranks_folder(capture.parent))
        report = analyse_ranks(capture.parent).report
    project.check_gone()
    assert (target.parent / "best.txt").read_text(encoding="utf-8") == "old"
    run = report.profile.run
    assert run.process == "rank 0 of 2"
    assert run.boundary.startswith(f"optimizer steps in the loop at line {LOOP} of ")
    assert report.profile.breakdown.communication > 0
    ranks = report.profile.ranks
    assert ranks is not None
    assert [each.rank for each in ranks.ranks] == [0, 1]
    assert ranks.notes == ()
    assert [each.name for each in ranks.collectives] == ["c10d::allreduce_"]
    assert "This is rank 0 of 2; all ranks recorded the same steps." in report.profile.notes
    assert list(dict.fromkeys(phases)) == [
        Phase.STARTING, Phase.WARMING_UP, Phase.MEASURING, Phase.CAPTURING,
    ]  # fmt: skip
    # What one rank wrote the other has read, and neither has touched the file itself.
    said = sorted(b"".join(output).splitlines())
    assert said == [f"[rank {n}] sees new as {n} of 2 ['-x']".encode() for n in (0, 1)]


def test_ranks_behind_somebody_elses_torchrun(
    project: Project, target: Path, tmp_path: Path
) -> None:
    temporary = tmp_path / "theirs"
    temporary.mkdir()
    own = Path(stepscope.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2",
         "-m", "stepscope.agent", "--out", "recorded", "--steps", "2", "--warmup", "1",
         "train.py", "--steps", "3"],
        cwd=target.parent,
        env={**os.environ, "PYTHONPATH": str(own), "TMPDIR": str(temporary)},
        capture_output=True,
        text=True,
        timeout=SLOW_S,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    folder = target.parent / "recorded"
    check_same_steps(read_ranks_folder(folder))
    assert sorted(path.name for path in folder.iterdir()) == [
        "rank00000.capture", "rank00000.json", "rank00001.capture", "rank00001.json",
    ]  # fmt: skip
    assert f"stepscope: rank 0 of 2: recorded; open it with: stepscope open {folder}" in done.stderr
    assert (target.parent / "best.txt").read_text(encoding="utf-8") == "old"
    assert list(temporary.glob("stepscope-*")) == []
    assert sorted(done.stdout.splitlines()) == [
        f"sees new as {n} of 2 ['--steps', '3']" for n in (0, 1)
    ]


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("raise", f"train.py raised ValueError at train.py:{RAISES} after 3 steps: no more data"),
        pytest.param("kill", "train.py was ended by SIGKILL. The system ", marks=pytest.mark.slow),
    ],
)
def test_a_rank_that_dies_is_told_of_and_ends_the_run(
    project: Project, how: str, message: str
) -> None:
    target = project.file(DIES)
    outcome = project.run(target, args=(how,), processes=2, timeout_s=SLOW_S)
    assert outcome.failed.kind is FailureKind.TARGET_FAILED
    assert outcome.failed.message.startswith(f"Rank 1 of 2: {message}")
    assert outcome.failed.line == (RAISES if how == "raise" else None)
    assert b"finished" not in outcome.output
    # Torchrun's own report on its processes would only hide this.
    assert b"ChildFailedError" not in outcome.output
    lines = outcome.output.splitlines()
    assert all(re.match(rb"\[rank [01]\] ", line) for line in lines), outcome.output.decode()


@pytest.mark.slow
def test_ranks_are_ended_when_somebody_cancels(project: Project) -> None:
    target = project.file(DIES)
    outcome = project.run(
        target, cancel_at=Phase.MEASURING, processes=2, steps=10_000, timeout_s=SLOW_S
    )
    assert outcome.failed.kind is FailureKind.CANCELLED


SESSION = """
import sys
from pathlib import Path
from stepscope.pipeline import profile_target
from stepscope.session.model import CancelToken, ProfileRequest

request = ProfileRequest(Path(sys.argv[1]), warmup=100_000, processes=2)
profile_target(request, lambda progress: None, lambda chunk: None, CancelToken())
"""


def test_no_rank_outlives_a_session_that_is_killed(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "session"
    temporary.mkdir()
    told = "if step == 2 and dist.get_rank() == 0:\n        os.write(line, b'%d.' % os.getppid())"
    with lifeline(tmp_path, monkeypatch) as line:
        text = DIES.replace("import os\n", line.PRELUDE + "\n")
        target = project.file(text.replace("w.data -=", f"{told}\n    w.data -="))
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(sys.path),
            "TMPDIR": str(temporary),
        }
        session = subprocess.Popen([sys.executable, "-c", SESSION, target], env=environment)
        number = b""
        while (byte := line.wait_for_byte()) != b".":
            number += byte
        torchrun = os.pidfd_open(int(number))
        session.kill()
        session.wait()
        line.wait_for_end()
        ended, _, _ = select.select([torchrun], [], [], WAIT_S)
        assert ended, "torchrun is still there"
        os.close(torchrun)
    assert list(temporary.glob("stepscope-*")) == []
