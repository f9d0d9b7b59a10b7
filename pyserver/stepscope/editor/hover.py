"""All that is known about a line, as a table. A value that was not measured has no row."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from stepscope import format as fmt
from stepscope.attribution.model import Categories, LineCost, OpCost, Profile
from stepscope.editor import markdown as md
from stepscope.editor.language_server import StepscopeServer
from stepscope.editor.store import FileView
from stepscope.editor.to_lsp import code_range, to_line
from stepscope.operator_names import describe_operator
from stepscope.report import display
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
            kind=types.MarkupKind.Markdown, value=describe_line(view, cost, stale=place.changed)
        ),
        range=code_range(view.lines(text), place.line, place.line, server.encoding),
    )


def describe_line(view: FileView, cost: LineCost, *, stale: bool) -> str:
    """The hover's Markdown. ``stale``: the line was edited since; its measured text is shown."""
    profile = view.profile
    parts = [_heading(profile, cost)]
    if stale:
        parts.append("Measured **before the edit**, when the line read:")
        parts.append(md.fenced(_measured_line(view, cost.line).strip(), "python"))
    unit = "per step" if profile.timed else "in the recording"
    parts.append(md.table(("", unit), _rows(profile, cost), (False, True)))
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


def _rows(profile: Profile, cost: LineCost) -> Iterator[tuple[str, str]]:
    if not profile.timed:
        yield from _memory_rows(profile, cost)
        return
    if cost.work_ms > 0:
        yield "Forward", fmt.duration(cost.forward_ms)
        yield "Backward", fmt.duration(cost.backward_ms)
    yield "Host", fmt.duration(cost.host_ms)
    if cost.device_idle_ms is not None:
        yield "Device idle meanwhile", fmt.duration(cost.device_idle_ms)
    waits = cost.wait_ms
    for name, value in (
        ("Waiting for data", waits.data),
        ("Waiting for the device", waits.sync),
        ("Waiting for copies", waits.copy),
        ("Waiting for other ranks", waits.communication),
    ):
        if value is not None:
            yield name, fmt.duration(value)
    yield from _memory_rows(profile, cost)
    if cost.worker_ms is not None:
        yield "In a loader worker, per batch", fmt.duration(cost.worker_ms)
    yield "Times run", fmt.count(cost.calls)
    # A line that computes nothing has no arithmetic, traffic or launches worth a row of zeros.
    if cost.work_ms > 0:
        yield from _work_rows(profile, cost)


def _work_rows(profile: Profile, cost: LineCost) -> Iterator[tuple[str, str]]:
    if cost.launches is not None:
        noun = "Kernels launched" if display.has_accelerator(profile) else "Operators run"
        yield noun, fmt.count(cost.launches)
    if cost.flops is not None:
        yield "Arithmetic", fmt.amount(cost.flops, "FLOP")
    if cost.bytes_moved is not None:
        yield "Memory traffic", fmt.size(cost.bytes_moved)
    if cost.regime is not None:
        yield "Bound", display.REGIMES.get(cost.regime, cost.regime)
    if cost.headroom_ms is not None:
        yield "Above what the hardware allows", fmt.duration(cost.headroom_ms)


def _memory_rows(profile: Profile, cost: LineCost) -> Iterator[tuple[str, str]]:
    if cost.live_at_peak_bytes is not None:
        live = fmt.size(cost.live_at_peak_bytes)
        peak = profile.memory.peak_bytes if profile.memory else 0
        share = f" ({fmt.share(cost.live_at_peak_bytes / peak)} of it)" if peak else ""
        yield "Memory live at the peak", live + share
    if cost.categories is not None and cost.live_at_peak_bytes:
        yield "of it", _categories(cost.categories)
    if cost.allocated_bytes is not None:
        yield "Memory allocated", fmt.size(cost.allocated_bytes)


def _categories(categories: Categories) -> str:
    named = {
        "parameters": categories.parameter,
        "gradients": categories.gradient,
        "optimizer state": categories.optimizer,
        "activations": categories.activation,
        "input": categories.input,
        "temporary": categories.temporary,
    }
    largest_first = sorted(named.items(), key=lambda item: -item[1])
    return ", ".join(f"{name} {fmt.size(size)}" for name, size in largest_first if size) or "none"


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
