"""Findings in the Problems panel, each on the line to edit, with its evidence.

Published, not pulled: one list of findings serves every client. A finding whose statement was
edited is withdrawn, since nobody knows whether it still holds.
"""

from __future__ import annotations

from collections.abc import Iterable

from lsprotocol import types

from stepscope.attribution.model import Profile
from stepscope.diagnosis.engine import discover_rules
from stepscope.diagnosis.ignoring import unknown_rules
from stepscope.editor.language_server import StepscopeServer
from stepscope.editor.pages import page
from stepscope.editor.protocol import DIAGNOSTIC_SOURCE
from stepscope.editor.to_lsp import SEVERITIES, code_range
from stepscope.report.evidence import describe_evidence, describe_gain
from stepscope.report.model import Hint
from stepscope.report.source import split_lines
from stepscope.report.trial import describe_trial

MOST_RELATED = 20
"""Of one finding; the Problems panel shows each on a line of its own."""


def publish(server: StepscopeServer, paths: Iterable[str]) -> None:
    """Send the present diagnostics of the files ``paths``; an empty list takes old ones away."""
    for path in paths:
        server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(
                uri=server.uri_of(path), diagnostics=diagnostics_of(server, path)
            )
        )


def diagnostics_of(server: StepscopeServer, path: str) -> list[types.Diagnostic]:
    """What is known about the file's current text; nothing for a file that is gone."""
    text = server.text_of(path)
    if text is None:
        return []
    lines = split_lines(text)
    return [
        *_findings(server, path, text, lines),
        *_failures(server, path, text, lines),
        *_misspelled(server, text, lines),
    ]


def _findings(
    server: StepscopeServer, path: str, text: str, lines: list[str]
) -> list[types.Diagnostic]:
    view = server.store.view(path)
    if view is None:
        return []
    return [
        types.Diagnostic(
            range=code_range(lines, first, last, server.encoding),
            severity=SEVERITIES[hint.finding.severity],
            source=DIAGNOSTIC_SOURCE,
            code=hint.finding.rule,
            code_description=_page(f"rules/{hint.finding.rule}.md"),
            message=_message(hint, view.profile),
            related_information=_related(server, path, text, first, hint) or None,
            # Enough to find the hint again, whatever has happened to the text since.
            data={"rule": hint.finding.rule, "line": hint.finding.line},
        )
        for first, last, hint in server.hints_in(path, text)
    ]


def _related(
    server: StepscopeServer, path: str, text: str, line: int, hint: Hint
) -> list[types.DiagnosticRelatedInformation]:
    """Other lines of the cause: those that the rule knows, then those it also speaks of."""
    finding = hint.finding
    found: list[types.DiagnosticRelatedInformation] = []
    for related in finding.related:
        there = server.place_of(related.file, related.line)
        if there is not None:
            found.append(_information(server, *there, related.message))
    for first, _, other in server.hints_in(path, text):
        if other.finding.rule == finding.rule and first != line:
            found.append(_information(server, path, text, first, f"{finding.rule} here too"))
    return found[:MOST_RELATED]


def _information(
    server: StepscopeServer, path: str, text: str, line: int, message: str
) -> types.DiagnosticRelatedInformation:
    range_ = code_range(split_lines(text), line, line, server.encoding)
    return types.DiagnosticRelatedInformation(types.Location(server.uri_of(path), range_), message)


def _failures(
    server: StepscopeServer, path: str, text: str, lines: list[str]
) -> list[types.Diagnostic]:
    found: list[types.Diagnostic] = []
    for line, mark in server.failures_in(path, text):
        if line <= len(lines):
            found.append(
                types.Diagnostic(
                    range=code_range(lines, line, line, server.encoding),
                    severity=types.DiagnosticSeverity.Error,
                    source=DIAGNOSTIC_SOURCE,
                    code=mark.failure.kind.value,
                    code_description=_page("first-run.md"),
                    message=mark.failure.message,
                )
            )
    return found


def _misspelled(server: StepscopeServer, text: str, lines: list[str]) -> Iterable[types.Diagnostic]:
    """Comments that are to silence a rule that does not exist."""
    for line, name in unknown_rules(text, [rule.name for rule in discover_rules()]):
        yield types.Diagnostic(
            range=code_range(lines, line, line, server.encoding),
            severity=types.DiagnosticSeverity.Hint,
            source=DIAGNOSTIC_SOURCE,
            code="unknown-rule",
            message=f"No rule is named '{name}', so this comment ignores nothing of that name.",
        )


def _message(hint: Hint, profile: Profile) -> str:
    finding = hint.finding
    parts = [finding.message]
    evidence = describe_evidence(finding)
    if evidence:
        parts.append("Measured: " + ", ".join(f"{name} {value}" for name, value in evidence) + ".")
    gain = describe_gain(finding, profile)
    if gain:
        parts.append(gain)
    if hint.trial is not None:
        parts.append(f"The fix was measured: {describe_trial(hint.trial)}.")
    return "\n".join(parts)


def _page(name: str) -> types.CodeDescription | None:
    href = page(name)
    return None if href is None else types.CodeDescription(href=href)
