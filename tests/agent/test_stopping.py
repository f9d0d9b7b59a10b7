"""When a target is stopped, in what order, and what it may still do; the limits on its time."""

from __future__ import annotations

import dataclasses
import textwrap
from pathlib import Path

import pytest

from stepscope.pipeline import profile_target
from stepscope.session.model import (
    CancelToken,
    Failure,
    FailureKind,
    Limits,
    ProfileRequest,
    Progress,
    Stillness,
)
from tests.agent.attempts import Project, project

__all__ = ["project"]
pytestmark = pytest.mark.agent

STEP = """
def step():
    global w
    loss = torch.tanh(w).sum()
    loss.backward()
    w.data -= 0.1 * w.grad
    w.grad = None
"""
PRELUDE = f"""\
import asyncio
import atexit
import contextlib
import threading
import time
import torch

atexit.register(print, "at exit")
w = torch.rand(4, 3, requires_grad=True)
{STEP}
"""
SWALLOWED = {
    "an except clause": """
        while True:
            try:
                step()
            except:
                print("caught")
                break
    """,
    "a context manager": """
        class Quiet:
            def __enter__(self):
                return self

            def __exit__(self, kind, error, trace):
                print("caught")
                return True

        with Quiet():
            while True:
                step()
    """,
    "a thread": """
        def train():
            try:
                while True:
                    step()
            finally:
                print("caught")

        thread = threading.Thread(target=train)
        thread.start()
        thread.join()
    """,
    "asyncio.gather": """
        async def train():
            while True:
                step()
                await asyncio.sleep(0)

        async def main():
            found = await asyncio.gather(train(), return_exceptions=True)
            print("caught")

        asyncio.run(main())
    """,
}


# The other ways are scripts in foreign/ as well; what they print at their end is seen here only.
_HERE = ("an except clause", "a thread")


@pytest.mark.parametrize(
    "way", [pytest.param(w, marks=() if w in _HERE else pytest.mark.slow) for w in SWALLOWED]
)
def test_a_stop_that_is_swallowed_still_ends_the_target(project: Project, way: str) -> None:
    """The result is there first; then the target goes to its own end, exit handlers and all."""
    target = project.file(PRELUDE + textwrap.dedent(SWALLOWED[way]))
    outcome = project.run(target)
    assert outcome.reported.profile.step_ms.median > 0
    assert outcome.output.endswith(b"caught\nat exit\n")


def test_a_target_that_will_not_end_is_ended_after_the_grace(project: Project) -> None:
    """Its ``finally`` begins and hangs: the report is made all the same, and nothing stays."""
    loop = (
        "try:\n    while True:\n        step()\n"
        "finally:\n    print('saving')\n    while True:\n        time.sleep(0.01)\n"
    )
    outcome = project.run(project.file(PRELUDE + loop), limits=Limits(grace_s=0.5))
    assert outcome.report is not None
    assert outcome.output.endswith(b"saving\n")


def test_a_step_without_end(project: Project) -> None:
    loop = "for number in range(100):\n    step()\n    if number == 4:\n        time.sleep(1000)\n"
    target = project.file(PRELUDE + loop)
    line = (PRELUDE + loop).splitlines().index("        time.sleep(1000)") + 1
    outcome = project.run(target, warmup=20, limits=Limits(step_s=6.0))
    assert outcome.failed.kind is FailureKind.TIMED_OUT
    assert outcome.failed.message == (
        f"train.py made no further step within 6 s; it was at train.py:{line}. A longer limit can "
        "be set (setting stepscope.stepTimeout, or --step-timeout)."
    )
    assert (outcome.failed.file, outcome.failed.line) == (str(target), line)


@pytest.mark.parametrize("wait", ["time.sleep(1000)", "ctypes.CDLL(None).pause()"])
def test_where_a_set_up_is_that_takes_long(project: Project, wait: str) -> None:
    """Told before the limit, and again in the failure: also while the main thread is in C."""
    target = project.file(f"import ctypes, time\n\n{wait}\n")
    outcome = project.run(target, timeout_s=7.0, limits=Limits(ask_s=4.0))
    still = [progress.still for progress in outcome.progress if progress.still is not None]
    assert still == [Stillness(4.0, True, str(target), 3)]
    assert outcome.failed.message == (
        "train.py made no step within 7 s; it was at train.py:3; seen so far: nothing of a step. "
        "A longer limit can be set (setting stepscope.timeout, or --timeout)."
    )


def followed(target: Path, answer: str, **fields: object) -> Failure:
    """The failure of a run in which a person is asked, and says ``answer``."""
    cancel, output = CancelToken(), list[bytes]()

    def on_progress(progress: Progress) -> None:
        if progress.still is not None:
            getattr(cancel, answer)()

    request = dataclasses.replace(ProfileRequest(target), **fields)  # type: ignore[arg-type]
    with pytest.raises(Failure) as failed:
        profile_target(request, on_progress, output.append, cancel)
    return failed.value


def test_a_person_who_waits_lifts_the_limit(project: Project) -> None:
    target = project.file("import time\n\ntime.sleep(8)\n")
    limits = Limits(ask_s=3.0)
    failure = followed(target, "wait_on", timeout_s=5.0, limits=limits)
    assert failure.kind is FailureKind.NO_STEP
    project.check_gone()


def test_a_person_who_does_not_wait_ends_it(project: Project) -> None:
    target = project.file("import time\n\ntime.sleep(1000)\n")
    failure = followed(target, "cancel", limits=Limits(ask_s=2.0))
    assert failure.kind is FailureKind.CANCELLED
    project.check_gone()
