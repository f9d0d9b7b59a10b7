"""Fix and measure again: put a fix into the text, run the target as before, say what it gained."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Any

from lsprotocol import types

from stepscope import fixes
from stepscope.editor import protocol
from stepscope.editor.delivering import deliver
from stepscope.editor.language_server import StepscopeServer
from stepscope.editor.protocol import ProfileAnswer
from stepscope.editor.runs import cancelled
from stepscope.editor.trials import UNDO, Attempt, describe_outcome
from stepscope.editor.workspace_edits import workspace_edit
from stepscope.fixes.model import Fix
from stepscope.report.model import Hint, Report
from stepscope.session.model import Failure, ProfileRequest

logger = logging.getLogger("stepscope")


class _Refusal(Exception):
    """Why a fix cannot be measured, one sentence."""


def register(server: StepscopeServer) -> None:
    """Offer the command."""

    async def fix_and_measure(*arguments: Any) -> ProfileAnswer:
        try:
            return await _fix_and_measure(server, *protocol.parse_fix_params(arguments))
        except (ValueError, _Refusal) as refusal:
            server.show(str(refusal))
            return {"ok": False, "message": str(refusal)}
        except Failure as failure:
            message = f"The fix was not measured: {failure.message} {UNDO}"
            if not cancelled(failure):
                server.show(message)
            return {"ok": False, "message": message}

    server.command(protocol.COMMAND_FIX_AND_MEASURE)(fix_and_measure)


async def _fix_and_measure(
    server: StepscopeServer, uri: str, rule: str, line: int
) -> ProfileAnswer:
    request, hint, fix = _planned(server, uri, rule, line)
    before = await _measured_before(server, uri, request, hint)
    if before is not None:
        # The run may have taken a minute, in which the text went on.
        request, hint, fix = _planned(server, uri, rule, line)
    view = server.store.view(hint.finding.file)
    assert view is not None, "the hint is in it"
    profile = view.profile
    await _apply(server, fix)
    server.trials.begin(Attempt(hint.finding, fix.title, profile))
    if not await _saved(server, fix):
        message = f"Save the file and profile it: then you are told what '{fix.title}' has gained."
        server.show(message, types.MessageType.Info)
        return {"ok": True, "message": message}
    # As many steps as before, so that both medians are equally sure.
    request = replace(request, steps=profile.run.steps)
    try:
        report = await server.runs.profile(request)
    except Failure:
        server.trials.drop(profile.run.target)
        raise
    outcome = (await deliver(server, uri, report)).outcome
    if outcome is None:
        raise _Refusal("The text is as it was before the fix, so there is nothing to compare.")
    return {
        "ok": outcome.trial is not None,
        "step_ms": report.profile.step_ms.median,
        "message": describe_outcome(outcome),
    }


def _planned(
    server: StepscopeServer, uri: str, rule: str, line: int
) -> tuple[ProfileRequest, Hint, Fix]:
    """What to run, and what to edit. Raises _Refusal."""
    path = server.path_of(uri)
    text = None if path is None else server.text_of(path)
    view = None if path is None else server.store.view(path)
    if path is None or text is None or view is None:
        raise _Refusal("Profile the file first: then there is something to fix.")
    if server.runs.busy is not None:
        raise _Refusal(server.runs.busy)
    request = server.trials.request_of(view.profile.run.target)
    if request is None:
        raise _Refusal("This is a recording; profile the file itself to measure a fix.")
    for first, last, hint in server.hints_in(path, text):
        if hint.finding.rule == rule and first <= line <= last:
            fix = fixes.fix_for(hint.finding, text, first)
            if fix is not None and fix.edits:
                return request, hint, fix
    raise _Refusal(f"Line {line} has no fix for {rule} any more; profile the file again.")


async def _measured_before(
    server: StepscopeServer, uri: str, request: ProfileRequest, hint: Hint
) -> Report | None:
    """A run of the text as it is, where it is no longer what the last report is about.

    Otherwise what somebody has edited meanwhile would count as the fix's gain.
    """
    if not server.store.was_edited(hint.finding.file, server.text_of):
        return None
    report = await server.runs.profile(request)
    await deliver(server, uri, report)
    return report


async def _apply(server: StepscopeServer, fix: Fix) -> None:
    answer = await server.workspace_apply_edit_async(
        types.ApplyWorkspaceEditParams(workspace_edit(server, fix), fix.title)
    )
    if not answer.applied:
        raise _Refusal(f"The editor did not take the edit, so nothing was measured: {fix.title}.")


async def _saved(server: StepscopeServer, fix: Fix) -> bool:
    """Whether the edited files are on the disk, where Python reads them."""
    if not server.client_supports("saveFiles"):
        return False
    files = dict.fromkeys(edit.file for edit in fix.edits)
    uris = [server.uri_of(file) for file in files]
    return bool(await server.protocol.send_request_async(protocol.SAVE_FILES, {"uris": uris}))
