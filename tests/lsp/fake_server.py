"""The real server process with a run that stops in each phase until the test lets it go on.

Started by the tests with the folder of their control files as its argument. A run writes
``at-<phase>`` once it is there and goes on when ``pass-<phase>`` exists; ``script.json`` says how
it ends. What the server does around the run is all real.
"""

from __future__ import annotations

import dataclasses
import json
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from stepscope.attribution.model import Assumed, StepTime
from stepscope.diagnosis.finding import Related
from stepscope.report.exports.analysed import Analysed
from stepscope.report.model import Hint, Report
from stepscope.server import build_server, serve_stdio
from stepscope.session.model import (
    Action,
    ActionKind,
    CancelToken,
    Failure,
    FailureKind,
    FilesAfter,
    NewFile,
    OnFiles,
    OnOutput,
    OnProgress,
    Phase,
    ProfileRequest,
    Progress,
    Stillness,
)

LONGEST_WAIT_S = 60.0
POLL_S = 0.005


class FakeRun:
    """Stands in for ``pipeline.profile_target``."""

    def __init__(self, control: Path) -> None:
        self._control = control

    def __call__(
        self,
        request: ProfileRequest,
        on_progress: OnProgress,
        on_output: OnOutput,
        cancel: CancelToken,
        *,
        on_files: OnFiles,
        on_analysed: Callable[[Analysed], None],
    ) -> Report:
        """Go through the phases, then end as ``script.json`` says."""
        script = self._script()
        self._write("request", json.dumps(_plain(request)))
        stopped = threading.Event()
        cancel.on_cancel(stopped.set)
        try:
            for chunk in script.get("output", []):
                on_output(chunk.encode("latin-1"))
            for phase in Phase:
                step = 3 if phase is Phase.MEASURING else None
                on_progress(Progress(phase, step, 10 if step else None))
                if phase.value in script.get("still", []):
                    still = Stillness(60.0, True, str(request.target), 3)
                    on_progress(Progress(phase, step, None, still))
                    self._write("waits", "")
                self._write(f"at-{phase.value}", "")
                self._hold(phase, script.get("hold", []), stopped, cancel)
            report = self._end(script, request)
            on_analysed(Analysed(report, None))
            return report
        finally:
            if "files" in script:
                files = script["files"]
                created = [_new_file(path) for path in files["created"]]
                on_files(
                    FilesAfter(
                        "functions",
                        tuple(files["kept"]),
                        tuple(created),
                        tuple(files.get("folders", [])),
                        tuple(files["changed"]),
                    )
                )
            self._write("ended", "cancelled" if cancel.cancelled else "finished")

    def _hold(
        self, phase: Phase, held: list[str], stopped: threading.Event, cancel: CancelToken
    ) -> None:
        gate = self._control / f"pass-{phase.value}"
        waited = 0.0
        while phase.value in held and not gate.exists() and waited < LONGEST_WAIT_S:
            if cancel.patient:
                self._write("patient", "")
                break
            if stopped.wait(POLL_S):
                break
            waited += POLL_S
        if stopped.is_set():
            raise Failure(FailureKind.CANCELLED, "Cancelled.")

    def _end(self, script: dict[str, Any], request: ProfileRequest) -> Report:
        from tests import factories

        if "failure" in script:
            failure = dict(script["failure"])
            action = failure.pop("action", None)
            if action is not None:
                failure["action"] = Action(ActionKind(action[0]), tuple(action[1:]))
            raise Failure(FailureKind(failure.pop("kind")), **failure)
        if "bug" in script:
            raise RuntimeError(script["bug"])
        source = request.target.read_text(encoding="utf-8")
        report = factories.report_on(
            str(request.target), source, script["costs"], script.get("findings", [])
        )
        report = _as_scripted(report, script, source)
        for path, costs in script.get("elsewhere", {}).items():
            report = _with_lines_of(report, path, costs)
        if "assumed" not in script:
            return report
        assumed = Assumed(file=str(request.target), **script["assumed"])
        run = dataclasses.replace(report.profile.run, assumed=assumed)
        return dataclasses.replace(report, profile=dataclasses.replace(report.profile, run=run))

    def _script(self) -> dict[str, Any]:
        path = self._control / "script.json"
        script: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if not script.get("runs"):
            return script
        # Each run of a script of several takes the next.
        first, *rest = script["runs"]
        self._write("script.json", json.dumps({**script, "runs": rest}))
        return {**script, **first}

    def _write(self, name: str, text: str) -> None:
        # Renamed into place, so that a test never sees half of it.
        temporary = self._control / f".{name}"
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(self._control / name)


def _as_scripted(report: Report, script: dict[str, Any], source: str) -> Report:
    """With the step, findings of other ``rules`` (text of a line -> rule) and ``related`` lines."""
    from tests import factories

    path = report.profile.run.target
    hints = [
        Hint(factories.finding(factories.line_of(text, source), file=path, rule=rule), None)
        for text, rule in script.get("rules", {}).items()
    ]
    for hint in report.hints:
        others = script.get("related", {}).items()
        related = tuple(
            Related(path, factories.line_of(other, source), message)
            for text, named in others
            if factories.line_of(text, source) == hint.finding.line
            for other, message in named.items()
        )
        hints.append(
            dataclasses.replace(hint, finding=dataclasses.replace(hint.finding, related=related))
        )
    profile = report.profile
    if "step_ms" in script:
        median = script["step_ms"]
        step = StepTime(median, 0.99 * median, 1.01 * median)
        profile = dataclasses.replace(profile, step_ms=step)
    run = dataclasses.replace(profile.run, args=tuple(script.get("args", profile.run.args)))
    profile = dataclasses.replace(profile, run=run)
    return dataclasses.replace(report, profile=profile, hints=tuple(hints))


def _with_lines_of(report: Report, path: str, costs: dict[str, float]) -> Report:
    """The report with lines of another file, as of a model that the target imports."""
    from tests import factories

    source = Path(path).read_text(encoding="utf-8")
    other = factories.report_on(path, source, costs).profile
    profile = dataclasses.replace(
        report.profile,
        lines=(*report.profile.lines, *other.lines),
        sources={**report.profile.sources, **other.sources},
    )
    return dataclasses.replace(report, profile=profile)


def _new_file(path: str) -> NewFile:
    found = Path(path).stat()
    return NewFile(path, found.st_size, found.st_mtime_ns)


def _plain(request: ProfileRequest) -> dict[str, Any]:
    return {
        "target": str(request.target),
        "args": list(request.args),
        "python": request.python,
        "cwd": str(request.cwd),
        "steps": request.steps,
        "warmup": request.warmup,
        "loop": request.loop,
        "symbol": request.symbol,
        "model_inputs": [list(entry) for entry in request.model_inputs],
        "timeout_s": request.timeout_s,
        "workspace": [str(folder) for folder in request.workspace],
        "cpu": request.cpu,
        "guard": request.guard,
        "processes": request.processes,
        "env": dict(request.env),
        "limits": list(dataclasses.astuple(request.limits)),
    }


if __name__ == "__main__":
    raise SystemExit(serve_stdio(build_server(FakeRun(Path(sys.argv[1])))))
