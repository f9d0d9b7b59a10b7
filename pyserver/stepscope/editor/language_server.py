"""The server object: what every feature may ask for, and nothing of any single feature."""

from __future__ import annotations

import asyncio
import functools
import inspect
import logging
import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, default_converter
from pygls.uris import to_fs_path
from pygls.workspace import TextDocument

import stepscope
from stepscope.diagnosis.ignoring import is_ignored
from stepscope.editor.choices import LoopChoices, state_file
from stepscope.editor.kept_reports import KeptReports
from stepscope.editor.new_files import NewFiles
from stepscope.editor.options import Options
from stepscope.editor.runs import ProfileTarget, Runs
from stepscope.editor.store import FailureMark, ReportStore, file_key, read_text
from stepscope.editor.to_lsp import Encoding
from stepscope.editor.trials import Trials
from stepscope.editor.written_answers import message_with
from stepscope.report.model import Hint

logger = logging.getLogger("stepscope")

Handler = Callable[["StepscopeServer", Any], Any]


class _Requests(dict[Any, Any]):
    """Requests that are not answered yet.

    On shutdown pygls walks through them and cancels each, and each that is cancelled leaves them.
    """

    def items(self) -> Any:
        """As they are now, whatever becomes of them meanwhile."""
        return list(super().items())


class _Protocol(LanguageServerProtocol):
    """Tells the server of a cancelled request, and sends answers that are written already.

    pygls only drops the answer: the command behind it runs in a task of another name. And it writes
    JSON itself, on the event loop.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._request_futures = _Requests(self._request_futures)
        self._sending: asyncio.Future[None] | None = None

    def handle_message(self, message: Any) -> None:
        if getattr(message, "method", None) == types.CANCEL_REQUEST:
            cast("StepscopeServer", self._server).runs.cancel_request(message.params.id)
        super().handle_message(message)

    def _send_data(self, data: Any) -> None:
        message = message_with(data)
        if message is None or self.writer is None:
            super()._send_data(data)
            return
        sent = self.writer.write(message)
        if inspect.isawaitable(sent):
            self._sending = asyncio.ensure_future(sent)


class StepscopeServer(LanguageServer):
    """Holds the options, the reports and the run in progress; talks to the client."""

    def __init__(self, profile_target: ProfileTarget | None = None) -> None:
        super().__init__(
            "stepscope",
            stepscope.__version__,
            # pygls applies partial edits to lines split at form feeds; editors do not split there.
            text_document_sync_kind=types.TextDocumentSyncKind.Full,
            protocol_cls=_Protocol,
            converter_factory=default_converter,
        )
        self.options = Options()
        self.store = ReportStore()
        self.kept_reports = KeptReports()
        self.choices = LoopChoices(state_file())
        self.new_files = NewFiles()
        self.trials = Trials()
        self.runs = Runs(self, profile_target or _pipeline_profile_target)

    # -- features ------------------------------------------------------------------------------

    def add_feature(self, method: str, handler: Handler, options: Any = None) -> None:
        """Answer ``method`` with ``handler(server, params)``.

        A failure is logged and answered with nothing, so that one broken feature does not take
        the others along.
        """

        @functools.wraps(handler)
        def guarded(params: Any) -> Any:
            try:
                return handler(self, params)
            except Exception:
                logger.exception("%s failed", method)
                return None

        @functools.wraps(handler)
        async def guarded_async(params: Any) -> Any:
            try:
                return await handler(self, params)
            except Exception:
                logger.exception("%s failed", method)
                return None

        chosen = guarded_async if asyncio.iscoroutinefunction(handler) else guarded
        # pygls passes the server to what takes it; this one has it already.
        del chosen.__wrapped__
        self.feature(method, options)(chosen)

    # -- documents -----------------------------------------------------------------------------

    @property
    def encoding(self) -> Encoding:
        """The units that the client counts columns in."""
        return self.workspace.position_encoding or types.PositionEncodingKind.Utf16

    def path_of(self, uri: str) -> str | None:
        """The file behind ``uri``; None for an untitled or virtual document."""
        if not uri.startswith("file:"):
            return None
        path: str | None = to_fs_path(uri)
        return path

    def uri_of(self, path: str) -> str:
        """The client's own name of the file if it has it open, else one of ours."""
        document = self.open_document(path)
        if document is not None:
            return str(document.uri)
        return Path(path).absolute().as_uri()

    def text_of(self, path: str) -> str | None:
        """The file as the client shows it, else as it is on disk; None where it is gone."""
        document = self.open_document(path)
        return read_text(path) if document is None else str(document.source)

    def workspace_folders(self) -> list[Path]:
        """Folders the client has open."""
        paths = (self.path_of(folder.uri) for folder in self.workspace.folders.values())
        return [Path(path) for path in paths if path]

    def open_document(self, path: str) -> TextDocument | None:
        """The client's own text of the file, if it has it open."""
        key = file_key(path)
        documents: list[TextDocument] = list(self.workspace.text_documents.values())
        for document in documents:
            # Not the key that pygls keeps it under: that is no longer a valid URI.
            open_path = self.path_of(document.uri)
            if open_path is not None and file_key(open_path) == key:
                return document
        return None

    # -- reports -------------------------------------------------------------------------------

    def wanted(self, hints: Iterable[Hint]) -> tuple[Hint, ...]:
        """The hints that the options leave on, each with the severity that they give it."""
        settings = self.options.rules.settings
        found = []
        for hint in hints:
            finding = settings.apply(hint.finding)
            if finding is not None:
                found.append(replace(hint, finding=finding))
        return tuple(found)

    def hints_in(self, path: str, text: str) -> list[tuple[int, int, Hint]]:
        """(first line, last line, hint) of what to say about the file's current ``text``."""
        view = self.store.view(path)
        return [
            (first, last, wanted)
            for first, last, hint in ([] if view is None else view.placed_hints(text))
            for wanted in self.wanted([hint])
            if not is_ignored(text, hint.finding.rule, first, last)
        ]

    def place_of(self, file: str, line: int) -> tuple[str, str, int] | None:
        """(path, text, line) of where a measured line is now; None where it is gone."""
        view, text = self.store.view(file), self.text_of(file)
        if view is None or text is None:
            return None
        place = view.source.map_to(text).current(line)
        return None if place is None else (view.path, text, place.line)

    def failures_in(self, path: str, text: str) -> list[tuple[int, FailureMark]]:
        """(line, mark) of failed runs whose line has not been edited in the file's ``text``."""
        found = []
        for mark in self.store.failures_in(path):
            line = mark.failure.line or 1
            place = mark.source.map_to(text).unchanged(line, line)
            if place is not None:
                found.append((place.line, mark))
        return found

    # -- the client ----------------------------------------------------------------------------

    def client_supports(self, ability: str) -> bool:
        """Whether the client says ``experimental.stepscope.<ability>``."""
        return self._said_by_client(ability) is True

    def client_runs(self, command: str) -> bool:
        """Whether the client itself runs ``command``, so that a link or a lens may name it."""
        return command in (self._said_by_client("commands") or ())

    def _said_by_client(self, key: str) -> Any:
        # pygls makes dictionaries or objects of a client's own JSON.
        value: Any = self.client_capabilities.experimental
        for name in ("stepscope", key):
            value = value.get(name) if isinstance(value, dict) else getattr(value, name, None)
        return value

    def show(self, message: str, kind: types.MessageType = types.MessageType.Error) -> None:
        """A message in the client's face."""
        self.window_show_message(types.ShowMessageParams(type=kind, message=message))

    def log(self, message: str, kind: types.MessageType = types.MessageType.Info) -> None:
        """A line in the client's log."""
        self.window_log_message(types.LogMessageParams(type=kind, message=message))

    def refresh_views(self) -> None:
        """Ask for hints and lenses again, where the client can be asked."""
        workspace = self.client_capabilities.workspace
        if workspace and workspace.inlay_hint and workspace.inlay_hint.refresh_support:
            self.workspace_inlay_hint_refresh(None)
        if workspace and workspace.code_lens and workspace.code_lens.refresh_support:
            self.workspace_code_lens_refresh(None)


def _pipeline_profile_target(*args: Any, **named: Any) -> Any:
    # Late: `initialize` is answered before the stages are loaded.
    from stepscope.pipeline import profile_target

    return profile_target(*args, **named)


def working_folder(server: StepscopeServer, target: Path) -> Path:
    """Where a target runs: the option, else its workspace folder, else its own folder."""
    if server.options.cwd:
        return Path(server.options.cwd)
    key = Path(file_key(str(target)))
    for folder in server.workspace_folders():
        if key.is_relative_to(os.path.normcase(os.path.realpath(folder))):
            return folder
    return target.parent
