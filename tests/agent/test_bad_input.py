"""Whatever is wrong with the target: one sentence, the right exit status, nothing left behind.

``Project.run`` checks the last part after every run: no process, no folder, no file changed.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from stepscope.pipeline import profile_target
from stepscope.session.model import (
    EXIT_STATUS,
    CancelToken,
    Failure,
    FailureKind,
    Phase,
    ProfileRequest,
    Progress,
)
from tests.agent.attempts import Outcome, Project, attempt, lifeline, project, together
from tests.agent.interpreters import found_interpreters

__all__ = ["project"]
pytestmark = pytest.mark.agent

TRAINING = """
import os
import sys
import time
import torch
{before}
w = torch.rand(4, 3, requires_grad=True)
step = 0
while step < {steps}:
    step += 1
    {body}
    loss = w.square().sum()
    loss.backward()
    {update}
"""
LOOP = 8  # line of the loop above
BODY, LOSS = LOOP + 2, LOOP + 3
MANY = 100_000
BY_HAND = "w.data -= 0.1 * w.grad; w.grad = None"  # torch.optim alone takes seconds to import


def training(
    steps: int = 40, body: str = "pass", before: str = "pass", update: str = BY_HAND
) -> str:
    return TRAINING.format(steps=steps, body=body, before=before, update=update)


def check(outcome: Outcome, kind: FailureKind, status: int, message: str) -> None:
    assert outcome.failed.message == message
    assert outcome.failed.kind is kind
    assert EXIT_STATUS[outcome.failed.kind] == status


# The interpreter


def test_no_torch_in_the_interpreter(project: Project, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare"], check=True)
    python = str(tmp_path / "bare" / "bin" / "python")
    target = project.file("import os\nimport torch\n")
    outcome = project.run(target, python=python)
    check(
        outcome,
        FailureKind.USAGE,
        2,
        f"torch is not installed in {python}; install it there or choose another interpreter.",
    )
    assert (outcome.failed.file, outcome.failed.line) == (str(target), 2)


def test_an_interpreter_that_says_it_is_too_old(project: Project, tmp_path: Path) -> None:
    python = tmp_path / "python3.8"
    python.write_text(
        f"#!{sys.executable}\n"
        "import runpy, sys\n"
        "sys.version_info, sys.version = (3, 8, 1, 'final', 0), '3.8.1 (made up)'\n"
        "sys.argv = sys.argv[1:]\n"
        "runpy.run_path(sys.argv[0], run_name='__main__')\n"
    )
    python.chmod(0o755)
    outcome = project.run(project.file(training()), python=str(python))
    check(
        outcome,
        FailureKind.USAGE,
        2,
        f"{python} is Python 3.8.1; profiling needs Python 3.10 or newer.",
    )


def test_every_older_python_on_this_machine_is_refused(project: Project) -> None:
    old = {version: path for version, path in found_interpreters().items() if version < (3, 10)}
    print("older Pythons here:", ", ".join(f"{a}.{b}" for a, b in old) or "none")
    target = project.file(training())
    for (major, minor), python in old.items():
        outcome = project.run(target, python=python)
        assert outcome.failed.kind is FailureKind.USAGE
        assert outcome.failed.message.startswith(f"{python} is Python {major}.{minor}.")


def test_no_such_interpreter(project: Project, tmp_path: Path) -> None:
    python = str(tmp_path / "no-python")
    outcome = project.run(project.file(training()), python=python)
    check(
        outcome,
        FailureKind.USAGE,
        2,
        f"The interpreter {python} cannot be started (No such file or directory); "
        "choose another one.",
    )


def test_an_old_torch(project: Project, tmp_path: Path) -> None:
    project.file("__version__ = '2.3.1+cpu'\n", "torch.py")
    python = sys.executable
    outcome = project.run(project.file("import torch\n"), changes=True)
    check(
        outcome,
        FailureKind.USAGE,
        2,
        f"{python} has torch 2.3.1+cpu; profiling needs torch 2.4 or newer.",
    )


# The file


def test_no_such_file(project: Project) -> None:
    target = project.root / "none.py"
    check(project.run(target), FailureKind.USAGE, 2, f"There is no file {target}.")


def test_a_folder(project: Project) -> None:
    check(
        project.run(project.root),
        FailureKind.USAGE,
        2,
        f"{project.root} is a folder; name the Python file to profile.",
    )


def test_no_such_working_folder(project: Project) -> None:
    cwd = project.root / "none"
    check(
        project.run(project.file(training()), cwd=cwd),
        FailureKind.USAGE,
        2,
        f"The working folder {cwd} does not exist.",
    )


def test_a_syntax_error(project: Project) -> None:
    target = project.file("import torch\n\nfor x in range(3)\n    pass\n")
    outcome = project.run(target)
    check(
        outcome,
        FailureKind.TARGET_FAILED,
        1,
        "train.py raised SyntaxError at train.py:3 before its first step: "
        "expected ':' (train.py, line 3)",
    )
    assert (outcome.failed.file, outcome.failed.line) == (str(target), 3)
    assert b"for x in range(3)\n" in outcome.output


def test_an_import_error(project: Project) -> None:
    target = project.file("import os\nimport no_such_module_anywhere\n")
    outcome = project.run(target)
    check(
        outcome,
        FailureKind.TARGET_FAILED,
        1,
        "train.py imports no_such_module_anywhere at train.py:2, which is not installed in "
        f"{sys.executable}: run `{sys.executable} -m pip install no_such_module_anywhere`, or "
        "choose the interpreter that has it.",
    )
    assert (outcome.failed.file, outcome.failed.line) == (str(target), 2)


def test_an_exception_in_step_2(project: Project) -> None:
    target = project.file(training(body="assert step < 2, 'no more'"))
    outcome = project.run(target)
    check(
        outcome,
        FailureKind.TARGET_FAILED,
        1,
        f"train.py raised AssertionError at train.py:{BODY} after 1 step: no more",
    )
    assert (outcome.failed.file, outcome.failed.line) == (str(target), BODY)
    text = outcome.output.decode()
    # The traceback that Python itself would print: the user's frame is the first and only one.
    assert text.count('  File "') == 1
    assert f'  File "{target}", line {BODY}, in <module>' in text
    assert text.endswith("AssertionError: no more\n")


def test_an_exception_in_another_file(project: Project) -> None:
    helper = project.file("def fail():\n    return {}['missing']\n", "helper.py")
    target = project.file("import sys\nimport helper\nhelper.fail()\n")
    outcome = project.run(target, changes=True)
    assert outcome.failed.message == (
        "train.py raised KeyError at helper.py:2 before its first step: 'missing'"
    )
    assert (outcome.failed.file, outcome.failed.line) == (str(helper), 2)


# The end


def test_exit_with_a_status_before_any_step(project: Project) -> None:
    target = project.file("import sys\nimport os\nsys.exit(7)\n")
    outcome = project.run(target)
    check(
        outcome,
        FailureKind.TARGET_FAILED,
        1,
        "train.py called exit(7) at train.py:3 before enough steps were seen.",
    )
    assert (outcome.failed.file, outcome.failed.line) == (str(target), 3)


def test_exit_with_a_message_before_any_step(project: Project) -> None:
    target = project.file("import sys\nsys.exit('usage: train.py DATA')\n")
    outcome = project.run(target)
    check(
        outcome,
        FailureKind.TARGET_FAILED,
        1,
        "train.py needs arguments: usage: train.py DATA. "
        "Give them in the setting stepscope.args, or after the file on the command line.",
    )
    assert outcome.output == b"usage: train.py DATA\n"


def test_no_step_at_all(project: Project) -> None:
    """Also when it says ``exit()`` at its end, which is no failure."""
    text = "import sys\nimport torch\nprint(torch.ones(3).sum().item())\nsys.exit()\n"
    outcome = project.run(project.file(text))
    check(
        outcome,
        FailureKind.NO_STEP,
        3,
        "train.py ended without a step: no optimizer step, backward pass or repeated module call "
        "was seen. Choose the loop whose passes are the steps (the lens above it, or --loop "
        "LINE), or call stepscope.step() at the end of each. "
        'Its last line of output: "3.0".',
    )


def test_no_torch_in_the_script(project: Project) -> None:
    check(
        project.run(project.file("print('hello')\n")),
        FailureKind.NO_STEP,
        3,
        "train.py ended without importing torch, so there was nothing to profile. "
        'Its last line of output: "hello".',
    )


def test_an_empty_file(project: Project) -> None:
    assert project.run(project.file("")).failed.kind is FailureKind.NO_STEP


def test_one_step_is_too_few(project: Project) -> None:
    check(
        project.run(project.file(training(steps=1))),
        FailureKind.NO_STEP,
        3,
        "train.py ended after 1 step; at least two are needed to measure one.",
    )


# What five steps are planned for is in tests/unit/agent/test_plan.py; here it is run.
@pytest.mark.parametrize("steps", [2, pytest.param(5, marks=pytest.mark.slow), 12])
def test_very_few_steps_are_enough(project: Project, steps: int) -> None:
    update = "opt.step(); opt.zero_grad()"
    before = "opt = torch.optim.SGD([w := torch.rand(4, 3, requires_grad=True)], lr=0.1)"
    target = project.file(training(steps, "assert opt", before, update).replace("\nw = ", "\nv = "))
    outcome = project.run(target, steps=None, warmup=None)
    profile = outcome.reported.profile
    assert profile.run.steps + profile.run.warmup < steps
    assert profile.run.boundary.startswith("optimizer steps")
    lines = {line.line: line for line in profile.lines if line.file == str(target)}
    assert lines[LOSS].backward_ms > 0
    if steps == 2:
        assert "too few steps for a pass without the profiler" in " ".join(profile.notes)


def test_a_set_up_without_end(project: Project) -> None:
    target = project.file("import time\n\nwhile True:\n    time.sleep(0.01)\n")
    outcome = project.run(target, timeout_s=5.0)
    assert EXIT_STATUS[outcome.failed.kind] == 4
    assert outcome.failed.kind is FailureKind.TIMED_OUT
    assert outcome.failed.file == str(target)
    assert outcome.failed.line in (3, 4)
    assert outcome.failed.message == (
        f"train.py made no step within 5 s; it was at train.py:{outcome.failed.line}; "
        "seen so far: nothing of a step. "
        "A longer limit can be set (setting stepscope.timeout, or --timeout)."
    )


def test_a_set_up_that_cannot_answer(project: Project) -> None:
    """Stuck in native code that holds the interpreter's lock: no line, but the limit holds."""
    target = project.file(
        "import ctypes\nimport os\nctypes.PyDLL(None).pause()\n"  # PyDLL keeps the lock
    )
    outcome = project.run(target, timeout_s=3.0)
    check(
        outcome,
        FailureKind.TIMED_OUT,
        4,
        "train.py made no step within 3 s. "
        "A longer limit can be set (setting stepscope.timeout, or --timeout).",
    )


def test_out_of_memory(project: Project) -> None:
    target = project.file(training(body="torch.empty(10**14) if step == 2 else None"))
    outcome = project.run(target)
    check(
        outcome,
        FailureKind.TARGET_FAILED,
        1,
        f"train.py ran out of memory at train.py:{BODY} after 1 step when it wanted 4e+05 GB at "
        "once: make the batch or the model smaller.",
    )
    assert (outcome.failed.file, outcome.failed.line) == (str(target), BODY)


def test_killed_by_the_system(project: Project) -> None:
    kill = "os.kill(os.getpid(), 9) if step == 2 else None"
    outcome = project.run(project.file(training(body=kill)))
    check(
        outcome,
        FailureKind.TARGET_FAILED,
        1,
        "train.py was ended by SIGKILL. "
        "The system does that to a process that takes too much memory.",
    )


def test_a_crash_in_native_code(project: Project) -> None:
    target = project.file(
        "import ctypes\n\ndef read(address):\n    return ctypes.string_at(address)\n\nread(0)\n"
    )
    outcome = project.run(target)
    check(
        outcome,
        FailureKind.TARGET_FAILED,
        1,
        "train.py crashed in native code (SIGSEGV) at train.py:4.",
    )
    assert (outcome.failed.file, outcome.failed.line) == (str(target), 4)


def test_an_exit_behind_our_back(project: Project) -> None:
    check(
        project.run(project.file("import os\nos._exit(3)\n")),
        FailureKind.TARGET_FAILED,
        1,
        "train.py ended its process with status 3 before enough steps were seen.",
    )


def test_exceptions_that_swallow_everything(project: Project) -> None:
    """The stop is asked for again at the next step, and the processes end in any case."""
    body = "\n    ".join(("try:", "    w.sum().backward()", "except BaseException:", "    pass"))
    assert project.run(project.file(training(MANY, body))).report is not None


# What it writes


def test_a_flood_of_output(project: Project) -> None:
    before = "for _ in range(160): os.write(1, b'o' * 65536); os.write(2, b'e' * 65536)"  # 20 MB
    outcome = project.run(project.file(training(before=before)))
    assert outcome.report is not None
    assert outcome.output.count(b"o") >= 160 * 65536
    assert outcome.output.count(b"e") >= 160 * 65536


def test_output_that_is_no_text(project: Project) -> None:
    noise = bytes(range(128, 256))
    body = f"os.write(1, {noise!r})"
    outcome = project.run(project.file(training(body=body)))
    assert outcome.report is not None
    assert noise * 2 in outcome.output


def test_a_crash_after_output_that_is_no_text(project: Project) -> None:
    target = project.file(
        "import ctypes, os\nos.write(2, bytes(range(128, 256)) * 2000)\nctypes.string_at(0)\n"
    )
    outcome = project.run(target)
    assert outcome.failed.message == "train.py crashed in native code (SIGSEGV) at train.py:3."


# Where it lies


def test_a_path_with_spaces_and_other_scripts(project: Project) -> None:
    target = project.file(training(), "my project/模型 (копия) 🙂/训练 run.py")
    outcome = project.run(target, cwd=target.parent, args=("--name", "数据 set", ""))
    profile = outcome.reported.profile
    assert profile.run.target == str(target)
    assert profile.run.args == ("--name", "数据 set", "")
    assert profile.run.boundary == f"backward passes in the loop at line {LOOP} of {target}"
    assert {line.file for line in profile.lines} == {str(target)}
    assert profile.sources[str(target)] == target.read_text(encoding="utf-8")


def test_a_failure_in_such_a_path(project: Project) -> None:
    target = project.file("import ctypes\nctypes.string_at(0)\n", "模型 🙂/训练 run.py")
    outcome = project.run(target)
    assert (
        outcome.failed.message == "训练 run.py crashed in native code (SIGSEGV) at 训练 run.py:2."
    )
    assert (outcome.failed.file, outcome.failed.line) == (str(target), 2)


def test_a_folder_that_cannot_be_written(project: Project) -> None:
    helper = project.file("def square(x):\n    return x.square()\n", "helper.py")
    target = project.file(training(before="from helper import square", body="square(w)"))
    project.root.chmod(0o555)
    try:
        outcome = project.run(target, cwd=project.root, changes=os.geteuid() == 0)
    finally:
        project.root.chmod(0o755)
    assert str(helper) in {line.file for line in outcome.reported.profile.lines}


def test_a_file_that_is_deleted_during_the_run(project: Project) -> None:
    target = project.file(training(before="os.unlink(__file__)"))
    profile = project.run(target, changes=True, guard=False).reported.profile
    assert not target.exists()
    assert profile.run.boundary == f"backward passes in the loop at line {LOOP} of {target}"
    assert "w.square()" in profile.sources[str(target)]
    assert {line.file for line in profile.lines} == {str(target)}


def test_a_file_that_is_edited_during_the_run(project: Project) -> None:
    """The report is about the text that ran: its lines, its loop, its source."""
    edit = "text = open(__file__).read(); open(__file__, 'w').write('# new\\n' * 7 + text)"
    target = project.file(training(before=edit))
    ran = target.read_text()
    profile = project.run(target, changes=True, guard=False).reported.profile
    assert target.read_text() == "# new\n" * 7 + ran
    assert profile.run.boundary == f"backward passes in the loop at line {LOOP} of {target}"
    assert profile.sources[str(target)] == ran
    lines = ran.splitlines()
    backward = next(line.line for line in profile.lines if line.backward_ms > 0)
    assert "w.square()" in lines[backward - 1]


def same(first: Outcome, second: Outcome) -> bool:
    one, other = first.reported.profile, second.reported.profile
    lines = [{line.key for line in profile.lines} for profile in (one, other)]
    return one.run.boundary == other.run.boundary and lines[0] == lines[1]


@pytest.mark.slow  # what a run leaves behind is looked for after each run of this file
def test_the_same_file_again(project: Project) -> None:
    target = project.file(training())
    assert same(project.run(target), project.run(target))


def test_the_same_file_twice_at_once(project: Project) -> None:
    target = project.file(training())
    first, second = together([lambda: attempt(target), lambda: attempt(target)])
    assert same(first, second)
    project.check_gone()


# Somebody stops it

CHILDREN = """
import subprocess, sys
{prelude}
child = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"], pass_fds=[line])
import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)
"""


def with_children(prelude: str) -> str:
    """Training without end that has a child process and does not care to be asked."""
    before = CHILDREN.format(prelude=prelude)
    return training(MANY, body="os.write(line, b'.') if step == 3 else None", before=before)


@pytest.mark.parametrize("phase", list(Phase), ids=lambda phase: phase.value)
def test_cancelled_in_each_phase(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, phase: Phase
) -> None:
    with lifeline(tmp_path, monkeypatch) as line:
        outcome = project.run(project.file(with_children(line.PRELUDE)), cancel_at=phase)
        check(outcome, FailureKind.CANCELLED, 130, "Profiling train.py was cancelled.")
        assert phase in {progress.phase for progress in outcome.progress}
        if phase is not Phase.STARTING:
            line.wait_for_end()


def test_cancelled_before_it_starts(project: Project) -> None:
    cancel = CancelToken()
    cancel.cancel()
    progress: list[Progress] = []
    output: list[bytes] = []
    request = ProfileRequest(project.file(training()))
    with pytest.raises(Failure, match="cancelled"):
        profile_target(request, progress.append, output.append, cancel)
    assert (progress, output) == ([], [])
    project.check_gone()


SESSION = """
import sys
from pathlib import Path
from stepscope.pipeline import profile_target
from stepscope.session.model import CancelToken, ProfileRequest

request = ProfileRequest(Path(sys.argv[1]), warmup=100_000)
profile_target(request, lambda progress: None, lambda chunk: None, CancelToken())
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=lambda number: number.name)
def test_the_session_is_killed_in_the_middle(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    temporary = tmp_path / "session"
    temporary.mkdir()
    with lifeline(tmp_path, monkeypatch) as line:
        target = project.file(with_children(line.PRELUDE))
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(sys.path),
            "TMPDIR": str(temporary),
        }
        session = subprocess.Popen([sys.executable, "-c", SESSION, target], env=environment)
        line.wait_for_byte()
        session.send_signal(number)
        assert session.wait() == -number
        line.wait_for_end()
    assert list(temporary.glob("stepscope-*")) == []
