"""A run of a foreign script: what the product said of it, and what it left behind."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stepscope.agent.capture import Capture, Window, read_capture
from stepscope.attribution.attribute import attribute
from stepscope.attribution.model import Profile
from stepscope.session.model import CancelToken, Failure, ProfileRequest
from stepscope.session.process import AgentProcess
from stepscope.session.run import captured
from stepscope.timeline.from_capture import build_timeline
from stepscope.timeline.model import Recording, Timeline
from tests.agent.foreigners import Foreigner

WAIT_S = 60.0  # nothing here takes so long; a script that waits longer has found a hang
_PASS = re.compile(rb"^pass (\d+)(?: (\d+))?\r?$", re.MULTILINE)


@dataclass
class Visit:
    """One run. Either ``failure`` or everything of the report is there."""

    script: Foreigner
    root: Path
    capture: Capture | None = None
    timeline: Timeline | None = None
    profile: Profile | None = None
    failure: Failure | None = None
    output: bytes = b""
    remains: list[str] = field(default_factory=list)  # what a run must not leave behind, in words

    @property
    def target(self) -> Path:
        """The file that was profiled."""
        return self.root / self.script.main

    def passes(self) -> list[int]:
        """When the script itself says that it was in its passes, in the process that is shown."""
        shown = b"" if self.capture is None else b"%d" % self.capture.facts["thread"][1]
        found = _PASS.findall(self.output)
        return sorted(int(time) for time, process in found if process in (b"", shown))

    def recordings(self) -> list[Recording]:
        """Those of the process that is shown which lie along whole passes of the loop."""
        assert self.timeline is not None
        return [r for r in self.timeline.recordings if r.kind not in ("clean", "worker")]

    def windows(self) -> list[Window]:
        """Those of the process that is shown, in the order in which they were made."""
        assert self.capture is not None
        return [window for window in self.capture.windows if window.kind != "worker"]


class Noted(AgentProcess):
    """Notes every process that is started, and where its capture will be, under its target."""

    started: dict[str, list[tuple[int, Path]]]

    def __init__(self, python: str, config: dict[str, Any], *rest: Any) -> None:
        super().__init__(python, config, *rest)
        noted = self.started.setdefault(config["target"], [])
        noted.append((self.pid, Path(config["capture"]).parent))


def visit(script: Foreigner, folder: Path, started: dict[str, list[tuple[int, Path]]]) -> Visit:
    """Run the script in a fresh copy; ``started`` is what ``Noted`` fills."""
    found = Visit(script, folder)
    script.settle(folder)
    before = _contents(folder)
    short = "short" in script.flags
    request = ProfileRequest(
        found.target,
        script.args,
        cwd=found.target.parent if script.cwd is None else folder / script.cwd,
        steps=None if short else 2,
        warmup=None if short else 1,
        timeout_s=WAIT_S,
    )
    output: list[bytes] = []
    try:
        with captured(request, _ignore, output.append, CancelToken()) as path:
            found.capture = read_capture(str(path))
            found.timeline = build_timeline(found.capture)
            found.profile = attribute(found.timeline).profile
    except Failure as failure:
        found.failure = failure
    found.output = b"".join(output)
    after = _contents(folder)
    found.remains += [
        f"{name} is {'gone' if name not in after else 'another'}"
        for name, content in before.items()
        if after.get(name) != content
    ]
    groups = started.get(str(found.target), [])
    found.remains += [f"process {pid} lives" for pid in _alive(folder, [g[0] for g in groups])]
    found.remains += [f"{capture} is still there" for _, capture in groups if capture.exists()]
    return found


def _ignore(_: object) -> None:
    pass


def _contents(root: Path) -> dict[str, bytes]:
    """What is in every file below ``root``; Python's own caches aside."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and path.parent.name != "__pycache__"
    }


def _alive(folder: Path, groups: list[int]) -> list[int]:
    """Processes of these sessions, or at home in ``folder``, that still run."""
    if sys.platform != "linux":
        return [group for group in groups if _signalled(lambda: os.killpg(group, 0))]  # noqa: B023
    home, found = folder.resolve(), []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            state, _, _, session = (entry / "stat").read_text().rpartition(")")[2].split()[:4]
            inside = (entry / "cwd").readlink().is_relative_to(home)
        except OSError:
            continue  # it has just ended, or it is another user's
        if state not in "ZX" and (int(session) in groups or inside):
            found.append(int(entry.name))
    return found


def _signalled(kill: Callable[[], None]) -> bool:
    try:
        kill()
    except (ProcessLookupError, PermissionError):
        return False
    return True
