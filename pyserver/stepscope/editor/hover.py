"""All that is known about a line, as a table. A value that was not measured has no row."""

from __future__ import annotations

from lsprotocol import types

from stepscope import format as fmt
from stepscope.attribution.model import LineCost, OpCost, Profile
from stepscope.editor import markdown as md
from stepscope.editor.hover_links import links
from stepscope.editor.language_server import StepscopeServer
from stepscope.editor.store import FileView
from stepscope.editor.to_lsp import code_range, to_line
from stepscope.operator_names import describe_operator
from stepscope.report import display
from stepscope.report.figures import rows
from stepscope.report.source import split_lines

TOP_OPERATORS = 6


def register(server: StepscopeServer) -> None:
    """Offer hovers."""
    server.add_feature(types.TEXT_DOCUMENT_HOVER, hover)


def hover(server: StepscopeServer, params: types.HoverParams) -> types.Hover | None:
    """The table of the line under the cursor; None where nothing was measured."""
    path = server.path_of(params.text_document.uri)
    view = None if path is None else server.store.view(path)
    text = None if path is None else server.text_of(path)
    if view is None or text is None:
        return None
    found = view.line_at(text, to_line(params.position))
    if found is None:
        return None
    place, cost = found
    if display.summarize_line(view.profile, cost) is None:
        return None
    return types.Hover(
        contents=types.MarkupContent(
            kind=types.MarkupKind.Markdown,
            value=describe_line(
                view,
                cost,
                stale=place.changed,
                leads=links(server, params.text_document.uri, view, cost),
            ),
        ),
        range=code_range(view.lines(text), place.line, place.line, server.encoding),
    )


def describe_line(view: FileView, cost: LineCost, *, stale: bool, leads: str = "") -> str:
    """The hover's Markdown. ``stale``: the line was edited since; its measured text is shown.

    ``leads``: links, above the table, since an editor cuts a hover off at some height.
    """
    profile = view.profile
    parts = [_heading(profile, cost), *([leads] if leads else [])]
    if stale:
        at = display.measured_at(profile)
        when = f" {at}" if at else ""
        parts.append(f"Measured{when}, **before the edit**, when the line read:")
        parts.append(md.fenced(_measured_line(view, cost.line).strip(), "python"))
    unit = "per step" if profile.timed else "in the recording"
    parts.append(md.table(("", unit), rows(profile, cost), (False, True)))
    if cost.ops:
        parts.append(_operators(cost.ops))
    function = display.describe_function(profile, cost)
    if function:
        parts.append(f"*{md.escape(function)}*")
    parts.append(
        "\n".join(
            f"*{md.escape(sentence)}*  "
            for sentence in (
                *display.describe_assumed(profile),
                display.describe_moment(profile),
                display.describe_device(profile),
                display.describe_steps(profile),
                display.describe_tax(profile),
                display.describe_peak(profile),
            )
            if sentence
        )
    )
    return "\n\n".join(parts)


def _heading(profile: Profile, cost: LineCost) -> str:
    where = f" in {md.code(cost.function)}" if cost.function else ""
    if not profile.timed:
        return f"**Memory** of this line{where}; time was not measured"
    share = fmt.share(display.step_share(profile, cost.cost_ms))
    step = fmt.duration(profile.step_ms.median)
    return f"**{share} of the step** ({fmt.duration(cost.cost_ms)} of {step}){where}"


def _operators(ops: tuple[OpCost, ...]) -> str:
    top = sorted(ops, key=lambda op: -op.work_ms)[:TOP_OPERATORS]
    rows = [
        (
            md.code(describe_operator(op.name)),
            "backward" if op.backward else "forward",
            fmt.count(op.calls),
            fmt.duration(op.work_ms),
            md.code(op.shapes) if op.shapes else "",
            md.code(op.dtypes) if op.dtypes else "",
        )
        for op in top
    ]
    header = ("Operator", "Pass", "Calls", "Time", "Shapes", "Types")
    text = md.table(header, rows, (False, False, True, True, False, False))
    rest = len(ops) - len(top)
    return text if rest <= 0 else f"{text}\n\n*and {fmt.plural(rest, 'more operator')}*"


def _measured_line(view: FileView, line: int) -> str:
    lines = split_lines(view.source.text)
    return lines[line - 1] if line <= len(lines) else ""
