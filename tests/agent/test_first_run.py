"""What stops a first run, in real processes: the sentence, the line, the next action.

Nearly all of it happens before torch matters, so these targets do without it. What each library's
exception says is tested in ``tests/unit/session``.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from stepscope.session.model import Action, ActionKind, Failure, FailureKind
from tests.agent.attempts import Project, project

__all__ = ["project"]
pytestmark = pytest.mark.agent

GIVE = "Give them in the setting stepscope.args, or after the file on the command line."


def check(failure: Failure, message: str, line: int | None, action: Action | None = None) -> None:
    assert failure.message == message
    assert failure.line == line
    assert failure.action == action


def test_a_missing_package(project: Project) -> None:
    target = project.file("import os\n\nimport cv2\n")
    check(
        project.run(target).failed,
        f"train.py imports cv2 at train.py:3, which is not installed in {sys.executable}: run "
        f"`{sys.executable} -m pip install opencv-python`, or choose the interpreter that has it.",
        3,
        Action(ActionKind.INSTALL, ("opencv-python",)),
    )


def test_a_module_of_the_repository(project: Project) -> None:
    """Found by its folder; with that on PYTHONPATH, as the action says, it is imported."""
    project.file("print('imported')\n", "src/mylib/net.py")
    target = project.file("from mylib.net import *\n", "tools/train.py")
    failure = project.run(target, workspace=(project.root,)).failed
    folder = project.root / "src"
    pair = f"PYTHONPATH={folder}"
    if "PYTHONPATH" in os.environ:
        pair += os.pathsep + os.environ["PYTHONPATH"]
    check(
        failure,
        f"train.py imports mylib at train.py:1, which is in {folder}, but Python does not look for "
        f"modules there: add that folder to PYTHONPATH (setting stepscope.env, or --env {pair}).",
        1,
        Action(ActionKind.SET_ENV, (pair,)),
    )
    name, _, value = pair.partition("=")
    outcome = project.run(target, env=((name, value),), changes=True)
    assert outcome.output == b"imported\n"


def test_required_arguments(project: Project) -> None:
    target = project.file(
        "import argparse\n\nparser = argparse.ArgumentParser()\n"
        "parser.add_argument('--data', required=True)\nparser.parse_args()\n"
    )
    check(
        project.run(target).failed,
        "train.py needs other arguments: the following arguments are required: --data. "
        f"Usage: train.py [-h] --data DATA. {GIVE}",
        5,
        Action(ActionKind.SET_ARGS),
    )


def test_arguments_by_their_number(project: Project) -> None:
    failure = project.run(project.file("import sys\n\ndata = sys.argv[1]\n")).failed
    assert failure.message.startswith("train.py reads more arguments at train.py:3 (`data = sys.")
    assert failure.action == Action(ActionKind.SET_ARGS)


def test_a_download_without_a_network(project: Project) -> None:
    """A name that can never be resolved, through urllib: the address is in nobody's message."""
    target = project.file(
        "import urllib.request\n\ndef fetch():\n"
        "    return urllib.request.urlopen('https://data.invalid/sets/mnist.gz?key=secret')\n\n"
        "fetch()\n"
    )
    check(
        project.run(target).failed,
        "train.py could not fetch mnist.gz from data.invalid at train.py:4: there is no connection "
        "to it. Connect this machine to the network, or put the files where the script looks for "
        "them and run it again.",
        4,
    )


def test_a_path_relative_to_another_folder(project: Project) -> None:
    """The folder that has it is named, and running there works."""
    project.file("1 2 3\n", "tools/data/numbers.txt")
    target = project.file("print(open('data/numbers.txt').read())\n", "tools/train.py")
    failure = project.run(target, cwd=project.root).failed
    folder = project.root / "tools"
    check(
        failure,
        f"train.py looks for data/numbers.txt at train.py:1 in {project.root}; it is in {folder}: "
        f"run the file there (setting stepscope.cwd, or --cwd {folder}).",
        1,
        Action(ActionKind.SET_CWD, (str(folder),)),
    )
    assert project.run(target, cwd=folder).output == b"1 2 3\n\n"


def test_a_file_that_may_not_be_read(project: Project) -> None:
    # As open() raises it; for a user who may read everything, no file would do.
    target = project.file("raise PermissionError(13, 'Permission denied', 'secret.txt')\n")
    failure = project.run(target, cwd=project.root).failed
    assert failure.message.startswith(
        f"train.py may not use {project.root / 'secret.txt'} at train.py:1 (permission"
    )


def test_a_question_that_nobody_answers(project: Project) -> None:
    failure = project.run(project.file("name = input('Your name? ')\n")).failed
    check(
        failure,
        "train.py asks a question and waits for the answer at train.py:1, and there is nobody to "
        "give one: have it read the answer from an argument, or leave the question out.",
        1,
    )


def test_the_size_of_a_terminal_asked_of_stty(project: Project) -> None:
    target = project.file("import os\n\nrows, columns = os.popen('stty size').read().split()\n")
    failure = project.run(target).failed
    assert failure.message.startswith(
        "train.py needs a terminal at train.py:3, and Stepscope runs it without one (stty: "
    )
    assert failure.line == 3


def test_what_can_do_without_a_terminal_does(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("COLUMNS", "LINES", "TERM", "MPLBACKEND"):
        monkeypatch.delenv(name, raising=False)
    target = project.file(
        "import os, shutil, sys\n"
        "print(shutil.get_terminal_size(), os.environ['TERM'], os.environ['MPLBACKEND'])\n"
        "print(sys.argv, repr(sys.stdin.read()))\n"
    )
    outcome = project.run(target, cwd=project.root, args=("-x",))
    assert outcome.output.decode().splitlines() == [
        f"{shutil.get_terminal_size()} dumb Agg",
        f"['{target}', '-x'] ''",
    ]


def test_what_the_target_is_told_wins(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPLBACKEND", "svg")
    target = project.file("import os\nprint(os.environ['MPLBACKEND'], os.environ['NEW'])\n")
    assert project.run(target, env=(("NEW", "1"),)).output == b"svg 1\n"
    outcome = project.run(target, env=(("NEW", "1"), ("MPLBACKEND", "pdf")))
    assert outcome.output == b"pdf 1\n"


def test_a_launcher_is_missing(project: Project) -> None:
    """With as many processes as the action says, the script starts."""
    target = project.file("import os\n\nprint('rank', int(os.environ['LOCAL_RANK']))\n")
    failure = project.run(target).failed
    assert failure.message.startswith(
        "train.py expects to be started by torchrun at train.py:3: the environment variable "
        "LOCAL_RANK is not set. "
    )
    assert failure.action is not None
    assert failure.action.kind is ActionKind.SET_PROCESSES
    outcome = project.run(target, processes=int(failure.action.values[0]))
    assert sorted(outcome.output.splitlines()) == [b"[rank 0] rank 0", b"[rank 1] rank 1"]
    assert outcome.failed.message.startswith("train.py ended without importing torch, ")


def test_a_line_for_notebooks(project: Project) -> None:
    target = project.file("import os\n%matplotlib inline\n")
    check(
        project.run(target).failed,
        "train.py holds a line for notebooks at train.py:2 (`%matplotlib inline`), which Python "
        "does not understand: take it out, or put it into a notebook.",
        2,
    )


def test_a_library_of_another_version(project: Project) -> None:
    project.file("__version__ = '2.0'\n", "somelib.py")
    target = project.file("import somelib\n\nsomelib.old_name()\n")
    check(
        project.run(target, changes=True).failed,
        "train.py stopped at train.py:3: somelib has no old_name in somelib 2.0, which is "
        f"installed in {sys.executable}. The file was probably written for another version of "
        "somelib: look for one in its requirements, or change the line.",
        3,
        Action(ActionKind.CHOOSE_INTERPRETER),
    )


@pytest.mark.parametrize("code", ["", "; sys.exit(0)"])
def test_a_polite_end_is_quoted(project: Project, code: str) -> None:
    target = project.file(
        f"import sys\nprint('epoch 0')\nprint('needs 2 GPUs, found 0', end=''){code}\n"
    )
    failure = project.run(target).failed
    assert failure.kind is FailureKind.NO_STEP
    assert failure.message == (
        "train.py ended without importing torch, so there was nothing to profile. "
        'Its last line of output: "needs 2 GPUs, found 0".'
    )


def test_an_impolite_end_is_quoted(project: Project) -> None:
    """Also of a process that ends without a flush: what it printed came line by line."""
    target = project.file("import os\nprint('world size 0')\nos._exit(3)\n")
    assert project.run(target).failed.message == (
        "train.py ended its process with status 3 before enough steps were seen. "
        'Its last line of output: "world size 0".'
    )


def test_the_error_of_a_deep_chain_fits_and_is_found(project: Project) -> None:
    """Messages of a megabyte and causes without end: the class is told all the same."""
    target = project.file(
        """
        import socket
        import urllib.error

        def fail(depth):
            try:
                if depth == 0:
                    raise socket.gaierror(-2, "Name or service not known")
                fail(depth - 1)
            except OSError as error:
                raise urllib.error.URLError("x" * 1_000_000) from error

        fail(3)
        """
    )
    failure = project.run(target).failed
    assert failure.message.startswith("train.py could not fetch something from a host that it did")


def test_an_error_that_cannot_describe_itself(project: Project) -> None:
    target = project.file(
        """
        class Odd(Exception):
            def __str__(self):
                raise ValueError("no words")

            @property
            def name(self):
                raise ValueError("no name")

        raise Odd
        """
    )
    check(
        project.run(target).failed,
        "train.py raised Odd at train.py:9 before its first step",
        9,
    )


# With torch


CUDA = """
import copy
import pickle
import torch

device = torch.device("cuda", 0)
checkpoint = {path!r}
torch.save({{"w": torch.ones(8, 3), "device": device}}, checkpoint)
w = torch.load(checkpoint, map_location="cuda:0")["w"].cuda().requires_grad_()
assert isinstance(device, torch.device), "a device is a device"
assert copy.deepcopy(device) == pickle.loads(pickle.dumps(device)) == device
net = torch.nn.DataParallel(torch.nn.Linear(3, 3, device="cuda")).to(device)
start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
side = torch.cuda.Stream()
print(torch.cuda.get_device_name(), torch.cuda.is_available(), torch.cuda.current_device())
for step in range(40):
    start.record()
    with torch.autocast("cuda", enabled=False), torch.cuda.stream(side), torch.cuda.device(0):
        x = torch.randn(4, 8, generator=torch.Generator(device="cuda"), device=device)
        y = net(x.to("cuda:0", non_blocking=True) @ w + torch.zeros(3, device="cuda").pin_memory())
    loss = y.square().sum()
    loss.backward()
    w.data -= 0.1 * w.grad
    w.grad = None
    end.record()
    torch.cuda.synchronize()
    assert start.elapsed_time(end) > 0
    torch.cuda.max_memory_allocated(device)
"""


def test_on_the_cpu_anyway(project: Project, tmp_path: Path) -> None:
    """Refused as it is, with the offer; profiled when the offer is taken, which the report says."""
    target = project.file(CUDA.format(path=str(tmp_path / "checkpoint.pt")))
    failure = project.run(target).failed
    assert failure.message.startswith("train.py loads a file that was saved on a GPU at train.py:8")
    assert failure.action == Action(ActionKind.RUN_ON_CPU)
    outcome = project.run(target, cpu=True)
    profile = outcome.reported.profile
    assert profile.run.device == "cpu"
    assert profile.notes[0].startswith("Run on the CPU on request: ")
    assert b"CPU False 0\n" in outcome.output


def test_what_cannot_go_to_the_cpu_says_so(project: Project) -> None:
    target = project.file("import torch\n\ngraph = torch.cuda.CUDAGraph()\n")
    failure = project.run(target, cpu=True).failed
    assert failure.message.startswith(
        "train.py asks for a GPU at train.py:3 in a way that cannot be redirected to the CPU ("
    )
    assert failure.action is None


def test_a_checkpoint_of_more_than_tensors(project: Project, tmp_path: Path) -> None:
    target = project.file(
        f"""
        import torch

        class Config:
            pass

        path = {str(tmp_path / "checkpoint.pt")!r}
        torch.save(Config(), path)
        torch.load(path)
        """
    )
    check(
        project.run(target).failed,
        "train.py loads a file at train.py:8 that holds more than tensors (__main__.Config), which "
        "torch.load refuses since torch 2.6: if you trust the file, give torch.load "
        "weights_only=False; if not, save its state_dict() anew.",
        8,
    )


CRASHES = """
import os
import signal
import torch

{before}
w = torch.rand(8, 8, requires_grad=True)
for step in range(60):
    {body}
    loss = torch.tanh(w).sum()
    loss.backward()
    w.data -= 0.1 * w.grad
    w.grad = None
"""
ENABLE = "torch.autograd._enable_profiler = lambda *_: os.kill(os.getpid(), signal.SIGABRT)"


def test_a_crash_under_the_profiler_is_tried_again_without_it(project: Project) -> None:
    target = project.file(CRASHES.format(before=ENABLE, body="pass"))
    profile = project.run(target).reported.profile
    assert profile.notes[0] == (
        "train.py crashed in native code (SIGABRT) at train.py:5 while the profiler ran; it was "
        "run once more without the profiler, so only the wall time of each line is measured, and "
        "the backward pass stands on the line that calls it."
    )
    costs = {line.line: line for line in profile.lines}
    assert costs[10].cost_ms > 0
    assert costs[10].backward_ms == costs[9].backward_ms == 0
    assert profile.memory is None


def test_a_crash_while_memory_is_recorded_costs_only_that(project: Project) -> None:
    """The line itself crashes once the profiler has been started a second time."""
    before = (
        "calls, enable = [], torch.autograd._enable_profiler; torch.autograd._enable_profiler = "
        "lambda *a: (calls.append(1), enable(*a))"
    )
    body = "len(calls) > 1 and os.kill(os.getpid(), signal.SIGSEGV)"
    profile = project.run(project.file(CRASHES.format(before=before, body=body))).reported.profile
    assert profile.notes[0] == (
        "train.py crashed in native code (SIGSEGV) at train.py:8 while memory was recorded; it was "
        "run once more without that, so memory, FLOPs and shapes are not measured."
    )
    costs = {line.line: line for line in profile.lines}
    assert costs[9].backward_ms > 0
    assert profile.memory is None


def test_a_crash_of_the_script_itself_is_not_tried_again(project: Project) -> None:
    body = "step == 2 and os.kill(os.getpid(), signal.SIGSEGV)"
    outcome = project.run(project.file(CRASHES.format(before="print('once')", body=body)))
    check(outcome.failed, "train.py crashed in native code (SIGSEGV) at train.py:8.", 8)
    assert outcome.output.count(b"once\n") == 1
