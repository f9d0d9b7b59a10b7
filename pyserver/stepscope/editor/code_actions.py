"""Quick fixes: a finding's edit, computed anew against the text as it is now."""

from __future__ import annotations

from lsprotocol import types

from stepscope import fixes
from stepscope.editor.language_server import StepscopeServer
from stepscope.editor.protocol import COMMAND_FIX_AND_MEASURE, COMMAND_PROFILE, DIAGNOSTIC_SOURCE
from stepscope.editor.to_lsp import to_lines
from stepscope.editor.workspace_edits import preview_edit, workspace_edit
from stepscope.fixes.ignoring import ignore_edit
from stepscope.fixes.model import Fix
from stepscope.report.model import Hint


def register(server: StepscopeServer) -> None:
    """Offer quick fixes."""
    server.add_feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        code_actions,
        types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix]),
    )


def code_actions(server: StepscopeServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    """The fixes of all findings whose lines the requested range touches."""
    path = server.path_of(params.text_document.uri)
    text = None if path is None else server.text_of(path)
    if path is None or text is None or not _wants_quick_fixes(params.context):
        return []
    first, last = to_lines(params.range)
    actions: list[types.CodeAction] = []
    ignoring: list[types.CodeAction] = []
    for start, end, hint in server.hints_in(path, text):
        if start <= last and first <= end:
            ignoring += _ignore(server, text, start, end, hint, params.context)
            fix = fixes.fix_for(hint.finding, text, start)
            # Advice without an edit is in the Problems panel already.
            if fix is not None and fix.edits:
                answered = _answered(hint, params.context) or None
                actions += _ways_to_fix(server, path, start, hint, fix, answered)
    # What makes it faster comes before what makes it quiet.
    return actions + ignoring + _next_steps(server, path, text, first, last, params.context)


def _ways_to_fix(
    server: StepscopeServer,
    path: str,
    line: int,
    hint: Hint,
    fix: Fix,
    answered: list[types.Diagnostic] | None,
) -> list[types.CodeAction]:
    """The edit; the edit and a run that measures it; the edit after a look at it."""
    actions = [
        types.CodeAction(
            title=fix.title,
            kind=types.CodeActionKind.QuickFix,
            diagnostics=answered,
            is_preferred=True,
            edit=workspace_edit(server, fix),
        )
    ]
    view = server.store.view(path)
    if view is not None and server.trials.request_of(view.profile.run.target) is not None:
        title = f"Fix and measure again: {fix.title}"
        arguments = {"uri": server.uri_of(path), "rule": hint.finding.rule, "line": line}
        actions.append(
            types.CodeAction(
                title=title,
                kind=types.CodeActionKind.QuickFix,
                diagnostics=answered,
                command=types.Command(
                    title=title, command=COMMAND_FIX_AND_MEASURE, arguments=[arguments]
                ),
            )
        )
    previewed = preview_edit(server, fix)
    if previewed is not None:
        actions.append(
            types.CodeAction(
                title=f"Preview: {fix.title}",
                kind=types.CodeActionKind.QuickFix,
                diagnostics=answered,
                edit=previewed,
            )
        )
    return actions


def _ignore(
    server: StepscopeServer,
    text: str,
    first: int,
    last: int,
    hint: Hint,
    context: types.CodeActionContext,
) -> list[types.CodeAction]:
    """Write the comment that silences this hint where it stands."""
    finding = hint.finding
    edit = ignore_edit(finding.file, text, finding.rule, first, last)
    if edit is None:
        return []
    return [
        types.CodeAction(
            title=f"Ignore this hint here ({finding.rule})",
            kind=types.CodeActionKind.QuickFix,
            diagnostics=_answered(hint, context) or None,
            edit=workspace_edit(server, Fix("", (edit,))),
        )
    ]


def _next_steps(
    server: StepscopeServer,
    path: str,
    text: str,
    first: int,
    last: int,
    context: types.CodeActionContext,
) -> list[types.CodeAction]:
    """Runs that do what a failure on these lines asks for."""
    found = []
    for line, mark in server.failures_in(path, text):
        if mark.step is not None and first <= line <= last:
            answered = [
                diagnostic
                for diagnostic in context.diagnostics
                if diagnostic.source == DIAGNOSTIC_SOURCE
                and diagnostic.message == mark.failure.message
            ]
            found.append(
                types.CodeAction(
                    title=mark.step.title,
                    kind=types.CodeActionKind.QuickFix,
                    diagnostics=answered or None,
                    command=types.Command(
                        title=mark.step.title,
                        command=COMMAND_PROFILE,
                        arguments=[mark.step.arguments],
                    ),
                )
            )
    return found


def _wants_quick_fixes(context: types.CodeActionContext) -> bool:
    if context.only is None:
        return True
    # Kinds are dotted paths; asking for a kind asks for everything below it.
    return any(str(_value(kind)) in ("", "quickfix") for kind in context.only)


def _value(kind: types.CodeActionKind | str) -> str:
    return kind.value if isinstance(kind, types.CodeActionKind) else kind


def _answered(hint: Hint, context: types.CodeActionContext) -> list[types.Diagnostic]:
    """The client's own copies of the diagnostic that the fix acts on."""
    wanted = {"rule": hint.finding.rule, "line": hint.finding.line}
    return [
        diagnostic
        for diagnostic in context.diagnostics
        if diagnostic.source == DIAGNOSTIC_SOURCE and diagnostic.data == wanted
    ]
