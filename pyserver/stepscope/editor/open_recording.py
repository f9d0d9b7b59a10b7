"""The command that opens recordings: their costs on the lines of the files that are here."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from stepscope import format as fmt
from stepscope.editor import protocol
from stepscope.editor.delivering import deliver
from stepscope.editor.language_server import StepscopeServer
from stepscope.editor.protocol import ProfileAnswer
from stepscope.report.model import Report
from stepscope.session.model import Failure, FailureKind

if TYPE_CHECKING:
    from stepscope.opening import OnFile
    from stepscope.timeline.pausing import Pause

logger = logging.getLogger("stepscope")

_NAMED = 3  # files in a message


def register(server: StepscopeServer) -> None:
    """Offer the command."""

    async def open_(*arguments: Any) -> ProfileAnswer:
        try:
            return await _open(server, protocol.parse_open_params(arguments))
        except ValueError as error:
            return _refuse(server, str(error))
        except Exception as error:
            logger.exception("opening failed")
            return _refuse(
                server, f"Stepscope itself failed ({type(error).__name__}); see its log."
            )

    server.command(protocol.COMMAND_OPEN)(open_)


async def _open(server: StepscopeServer, given: Sequence[str]) -> ProfileAnswer:
    paths = [_path(server, name) for name in given]
    busy = server.runs.busy
    if busy is not None:
        return _refuse(server, busy, types.MessageType.Warning)
    rules = server.options.trace.source_map
    roots = server.workspace_folders()

    def read(files: Sequence[Path], on_file: OnFile, pause: Pause) -> Report:
        # Late: `initialize` is answered before the stages are loaded.
        from stepscope.opening import open_recordings
        from stepscope.timeline.recorded import PathMap

        analysed = open_recordings(files, PathMap(rules, roots), on_file=on_file, pause=pause)
        server.kept_reports.hear(analysed)
        return analysed.report

    try:
        report = await server.runs.open(paths, read)
    except Failure as failure:
        if failure.kind is FailureKind.CANCELLED:
            return {"ok": False, "message": failure.message}
        return _refuse(server, failure.message)
    uri = server.uri_of(str(paths[0]))
    shown_in = (await deliver(server, uri, report, origin=str(paths[0]))).shown_in
    for note in report.profile.notes:
        server.log(f"{paths[0].name}: {note}")
    message = _message(report, paths, shown_in)
    server.show(message, types.MessageType.Info)
    answer: ProfileAnswer = {"ok": True, "message": message}
    if report.profile.timed:
        answer["step_ms"] = report.profile.step_ms.median
    return answer


def _path(server: StepscopeServer, name: str) -> Path:
    """A path of the file system. Raises ValueError for a URI of anything else."""
    if name.startswith("file:"):
        return Path(server.path_of(name) or name)
    if "://" in name:
        raise ValueError(f"{name} is not on a disk that Stepscope can read; save it there first.")
    path = Path(name).expanduser()
    folders = server.workspace_folders()
    return path if path.is_absolute() or not folders else folders[0] / path


def _message(report: Report, paths: Sequence[Path], shown_in: Sequence[str]) -> str:
    """What bounds the step, and where to look for it."""
    name = paths[0].name if len(paths) == 1 else fmt.plural(len(paths), "recording")
    return " ".join((f"{name}: {_verdict(report)}", _where(report, shown_in), *_left_out(report)))


def _verdict(report: Report) -> str:
    if report.verdict is not None:
        return report.verdict.sentence
    memory = report.profile.memory
    return "opened." if memory is None else f"the peak is {fmt.size(memory.peak_bytes)}."


def _where(report: Report, shown_in: Sequence[str]) -> str:
    profile = report.profile
    if shown_in:
        cost = dict.fromkeys(shown_in, 0.0)
        for line in profile.lines:
            if line.file in cost:
                cost[line.file] += line.cost_ms if profile.timed else line.live_at_peak_bytes or 0
        names = [Path(path).name for path in sorted(cost, key=lambda path: -cost[path])]
        more = f" and {fmt.plural(len(names) - _NAMED, 'more file')}" if names[_NAMED:] else ""
        what = "whole functions, on their first lines" if profile.whole_functions else "costs"
        return f"In {', '.join(names[:_NAMED])}{more}: {what}."
    if profile.lines:
        files = fmt.plural(len({line.file for line in profile.lines}), "file")
        return (
            f"Its source ({files}) was not found here; the setting stepscope.trace.sourceMap says "
            "where it is."
        )
    return "It has no Python stacks (with_stack=True records them), so there is no line to show."


def _left_out(report: Report) -> Iterator[str]:
    """What has no line although its file is here; nothing where nothing has."""
    from stepscope.timeline.recorded_places import ASTRAY

    lines = [line for line in report.profile.lines if line.file.startswith(ASTRAY)]
    if lines:
        names = list(dict.fromkeys(line.function for line in lines))
        more = ", ..." if names[_NAMED:] else ""
        yield (
            f"Left out, since the file has changed since the recording: {', '.join(names[:_NAMED])}"
            f"{more}."
        )


def _refuse(
    server: StepscopeServer, message: str, kind: types.MessageType = types.MessageType.Error
) -> ProfileAnswer:
    server.show(message, kind)
    return {"ok": False, "message": message}
