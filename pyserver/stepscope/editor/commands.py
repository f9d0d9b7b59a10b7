"""The commands: profile, cancel, clear."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

from lsprotocol import types

from stepscope.editor import diagnostics, protocol, publishing
from stepscope.editor.delivering import deliver
from stepscope.editor.language_server import StepscopeServer, working_folder
from stepscope.editor.next_steps import NextStep, next_step
from stepscope.editor.protocol import ProfileAnswer, ProfileParams
from stepscope.editor.questions import (
    ask,
    can_enter_arguments,
    enter_arguments,
    in_background,
)
from stepscope.editor.runs import cancelled
from stepscope.editor.target_output import ask_with_output
from stepscope.session.model import Failure, Limits, ProfileRequest

logger = logging.getLogger("stepscope")


def register(server: StepscopeServer) -> None:
    """Offer the commands."""

    async def profile(*arguments: Any) -> ProfileAnswer:
        return await _answer(server, lambda: _profile(server, arguments))

    def cancel(*_: Any) -> bool:
        return server.runs.cancel()

    def clear(*arguments: Any) -> None:
        _clear(server, arguments)

    server.command(protocol.COMMAND_PROFILE)(profile)
    server.command(protocol.COMMAND_CANCEL)(cancel)
    server.command(protocol.COMMAND_CLEAR)(clear)
    server.add_feature(types.WINDOW_WORK_DONE_PROGRESS_CANCEL, _cancel_progress)


async def _answer(
    server: StepscopeServer, run: Callable[[], Coroutine[Any, Any, ProfileAnswer]]
) -> ProfileAnswer:
    """The outcome of ``run``; what goes wrong is shown to the person and told to the caller."""
    try:
        return await run()
    except ValueError as error:
        return _refuse(server, str(error))
    except Exception as error:
        logger.exception("profiling failed")
        return _refuse(server, f"Stepscope itself failed ({type(error).__name__}); see its log.")


async def _profile(server: StepscopeServer, arguments: tuple[Any, ...]) -> ProfileAnswer:
    params = protocol.parse_profile_params(arguments)
    path = server.path_of(params.uri)
    if path is None:
        return _refuse(server, "Save the file first: only a file on disk can be run.")
    busy = server.runs.busy
    if busy is not None:
        return _refuse(server, busy, types.MessageType.Warning)
    if params.enter_arguments:
        args = server.options.args if params.args is None else params.args
        entered = await enter_arguments(server, params.uri, args)
        if entered is None:
            return {"ok": False, "message": "No arguments were entered."}
        params = replace(params, args=entered, given={**params.given, "args": list(entered)})
    failed_before = server.store.clear_failure(path)
    if failed_before is not None:
        diagnostics.publish(server, [failed_before])
    loop = _chosen_loop(server, path, params)
    request = replace(_request(server, Path(path), params), loop=loop)
    try:
        report = await server.runs.profile(request, params.launch)
    except Failure as failure:
        return _failed(server, path, failure, params.given)
    server.trials.ran(request)
    await deliver(server, params.uri, report)
    answer: ProfileAnswer = {"ok": True, "step_ms": report.profile.step_ms.median}
    if report.verdict is not None:
        answer["message"] = report.verdict.sentence
        server.log(f"{request.target.name}: {report.verdict.sentence}")
    return answer


def _chosen_loop(server: StepscopeServer, path: str, params: ProfileParams) -> int | None:
    """The loop to profile: the one just chosen, else the one chosen before."""
    text = server.text_of(path) or ""
    if params.loop is not None or params.forgets_loop:
        server.choices.choose(path, text, params.loop)
        server.refresh_views()
    return server.choices.line(path, text)


def _request(server: StepscopeServer, target: Path, params: ProfileParams) -> ProfileRequest:
    options = server.options
    return ProfileRequest(
        target=target,
        args=options.args if params.args is None else params.args,
        python=_interpreter(server) if params.python is None else params.python,
        cwd=working_folder(server, target) if params.cwd is None else Path(params.cwd),
        steps=options.steps if params.steps is None else params.steps,
        warmup=options.warmup,
        timeout_s=options.timeout,
        workspace=tuple(server.workspace_folders()),
        cpu=options.cpu if params.cpu is None else params.cpu,
        processes=options.processes if params.processes is None else params.processes,
        # What a button adds stands beside what the settings say.
        env=(*options.env, *(params.env or ())),
        limits=Limits(options.ask_after, options.step_timeout, options.grace),
        symbol=params.symbol,
        model_inputs=options.model_inputs,
        guard=options.guard,
    )


def _interpreter(server: StepscopeServer) -> str:
    """The target's interpreter: the option, else the one that runs this server."""
    words = server.options.interpreter
    if len(words) > 1:
        # `conda run -n env python`: an editor that knows such a command starts the server with it.
        server.log(f"{' '.join(words)} is no single program; {sys.executable} runs the target.")
    return words[0] if len(words) == 1 else sys.executable


def _failed(
    server: StepscopeServer, path: str, failure: Failure, given: dict[str, Any]
) -> ProfileAnswer:
    if cancelled(failure):
        return {"ok": False, "message": failure.message}
    step = next_step(failure.action, given, can_enter=can_enter_arguments(server))
    server.store.add_failure(path, failure, step)
    if failure.file is not None:
        diagnostics.publish(server, [failure.file])
    if step is None and not _has_output(server):
        return _refuse(server, failure.message)
    # The run has ended and says so; what the person answers starts another.
    in_background(_offer(server, given["uri"], failure.message, step))
    return {"ok": False, "message": failure.message}


def _has_output(server: StepscopeServer) -> bool:
    """Whether the failed target has printed something that the client can show."""
    return server.runs.printed and server.client_supports("output")


async def _offer(server: StepscopeServer, uri: str, message: str, step: NextStep | None) -> None:
    """Show the failure with a button that tries again, and one that opens the output."""
    titles = [] if step is None else [step.title]
    if _has_output(server):
        pressed = await ask_with_output(server, uri, message, titles)
    else:
        pressed = await ask(server, types.MessageType.Error, message, titles)
    if step is not None and pressed == step.title:
        await _answer(server, lambda: _profile(server, (step.arguments,)))


def _clear(server: StepscopeServer, arguments: tuple[Any, ...]) -> None:
    uri = protocol.parse_clear_params(arguments)
    before = server.store.paths()
    path = None if uri is None else server.path_of(uri)
    server.store.clear(path)
    server.kept_reports.clear(path)
    publishing.publish(server, before.values())
    server.refresh_views()


def _refuse(
    server: StepscopeServer, message: str, kind: types.MessageType = types.MessageType.Error
) -> ProfileAnswer:
    server.show(message, kind)
    return {"ok": False, "message": message}


def _cancel_progress(server: StepscopeServer, params: types.WorkDoneProgressCancelParams) -> None:
    server.runs.cancel_progress(params.token)
