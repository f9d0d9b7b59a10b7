"""A run in a project of its own, and what it must not leave behind."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import select
import tempfile
import textwrap
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from stepscope.pipeline import profile_target
from stepscope.report.model import Report
from stepscope.session import run as session_run
from stepscope.session.model import (
    CancelToken,
    Failure,
    FilesAfter,
    Phase,
    ProfileRequest,
    Progress,
)
from stepscope.session.process import AgentProcess
from stepscope.session.ranks import RanksProcess

WAIT_S = 60.0  # nothing here takes so long; a test that waits longer has found a hang


@dataclass
class Outcome:
    """How a run ended: a report or a failure, with everything that was said on the way."""

    report: Report | None
    failure: Failure | None
    progress: list[Progress] = field(default_factory=list)
    output: bytes = b""
    files: FilesAfter | None = None  # known once the last process is gone

    @property
    def failed(self) -> Failure:
        """The failure that this run must have ended with."""
        assert self.failure is not None, "the run was expected to fail"
        return self.failure

    @property
    def reported(self) -> Report:
        """The report that this run must have ended with."""
        assert self.report is not None, f"the run failed: {self.failure}"
        return self.report


class Project:
    """A folder with the user's files. Every run in it is checked for what it leaves behind."""

    def __init__(self, root: Path, temporary: Path, started: list[int], groups: list[int]) -> None:
        self.root = root
        self._temporary = temporary
        self._started = started
        self._groups = groups  # of processes whose parent was one of these

    def file(self, text: str, name: str = "train.py") -> Path:
        """Write one of the user's files."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text).lstrip("\n"), encoding="utf-8")
        return path

    def run(
        self,
        target: Path,
        *,
        cancel_at: Phase | None = None,
        changes: bool = False,
        **request: Any,
    ) -> Outcome:
        """Profile ``target``; ``changes`` says that the target itself changes files."""
        before = snapshot(self.root)
        outcome = attempt(target, cancel_at, **request)
        self.check_gone()
        if not changes:
            assert snapshot(self.root) == before, "the run changed the user's files"
        return outcome

    def check_gone(self) -> None:
        """No process of any run so far, and no folder of ours, is there any more."""
        for thread in threading.enumerate():
            if thread.name == "stepscope-end":
                thread.join(WAIT_S)
                assert not thread.is_alive(), "the target did not end"
        for pid in self._started:
            with pytest.raises(ProcessLookupError):
                os.kill(pid, 0)
        for group in [*self._started, *self._groups]:
            for member in group_members(group):
                wait_for_end(member)
        assert list(self._temporary.glob("stepscope-*")) == []


def attempt(target: Path, cancel_at: Phase | None = None, **request: Any) -> Outcome:
    """One run through the whole pipeline, cancelled as soon as it says that it is in a phase."""
    cancel = CancelToken()
    outcome = Outcome(None, None)

    def on_progress(progress: Progress) -> None:
        outcome.progress.append(progress)
        if progress.phase is cancel_at:
            cancel.cancel()

    def on_output(chunk: bytes) -> None:
        outcome.output += chunk

    def on_files(files: FilesAfter) -> None:
        outcome.files = files

    wanted = ProfileRequest(target, steps=2, warmup=1, timeout_s=WAIT_S)
    try:
        outcome.report = profile_target(
            dataclasses.replace(wanted, **request),
            on_progress,
            on_output,
            cancel,
            on_files=on_files,
        )
    except Failure as failure:
        outcome.failure = failure
    return outcome


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """An empty project, a temporary folder of its own, and a note of every process started."""
    root, temporary = tmp_path / "project", tmp_path / "temporary"
    root.mkdir()
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    started: list[int] = []
    groups: list[int] = []

    class Noted(AgentProcess):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            started.append(self.pid)

    class NotedRanks(RanksProcess):
        def close(self, grace_s: float) -> None:
            super().close(grace_s)
            started.append(self.pid)
            groups.extend(self.groups)

    monkeypatch.setattr(session_run, "AgentProcess", Noted)
    monkeypatch.setattr(session_run, "RanksProcess", NotedRanks)
    return Project(root, temporary, started, groups)


def snapshot(root: Path) -> dict[str, tuple[int, bytes]]:
    """Every file below ``root``: when it was written and what is in it."""
    return {
        str(path.relative_to(root)): (path.stat().st_mtime_ns, path.read_bytes())
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def group_members(group: int) -> list[int]:
    """The processes of a process group that still run, where the system lists them."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            # pid (name) state parent group ...; the name may hold anything, a parenthesis too.
            state, _, itself = status.read_text().rpartition(")")[2].split()[:3]
            if int(itself) == group and state not in "ZX":
                found.append(int(status.parent.name))
    return found


def wait_for_end(pid: int) -> None:
    """Return once a process that was killed is gone: its memory takes a moment to go."""
    with contextlib.suppress(ProcessLookupError):
        process = os.pidfd_open(pid)
        try:
            ready, _, _ = select.select([process], [], [], 2.0)
            assert ready, f"process {pid} of the target is still there"
        finally:
            os.close(process)


class Lifeline:
    """A named pipe that the target and its children hold open: its end is their end.

    ``PRELUDE`` opens it in the target; children are given it. No process needs to be looked for.
    """

    PRELUDE = "import os; line = os.open(os.environ['TEST_LIFELINE'], os.O_WRONLY)"

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        self._fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)

    def close(self) -> None:
        """Close our end."""
        os.close(self._fd)

    def wait_for_byte(self) -> bytes:
        """The next byte that the target writes."""
        ready, _, _ = select.select([self._fd], [], [], WAIT_S)
        assert ready, "the target said nothing"
        found = os.read(self._fd, 1)
        assert found, "the target ended before it said anything"
        return found

    def wait_for_end(self) -> None:
        """Return once every process that held the pipe is gone."""
        while True:
            ready, _, _ = select.select([self._fd], [], [], WAIT_S)
            assert ready, "a process of the target is still there"
            if not os.read(self._fd, 65536):
                return


@contextmanager
def lifeline(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lifeline]:
    """A lifeline for the targets that are started inside."""
    path = folder / "lifeline"
    monkeypatch.setenv("TEST_LIFELINE", str(path))
    line = Lifeline(path)
    try:
        yield line
    finally:
        line.close()


def together(actions: Sequence[Callable[[], Outcome]]) -> list[Outcome]:
    """Run several attempts at once."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(len(actions)) as pool:
        return [future.result() for future in [pool.submit(action) for action in actions]]
