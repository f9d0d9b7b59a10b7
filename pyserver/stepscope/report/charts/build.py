"""A report and the events behind it -> its charts."""

from __future__ import annotations

from stepscope.report.charts.by_path import path_tree
from stepscope.report.charts.model import Json, Names
from stepscope.report.charts.source_lines import source_lines
from stepscope.report.charts.timeline import timeline_chart
from stepscope.report.exports.analysed import Analysed
from stepscope.timeline.model import Place


def build_charts(analysed: Analysed) -> Json | None:
    """The charts as plain data, spelt as ``report.schema.json`` says; None without events."""
    attributed = analysed.attributed
    ops = None if attributed is None else attributed.mapped.recording.ops
    if attributed is None or ops is None or not analysed.report.profile.timed:
        return None
    measured = attributed.ledgers.timeline.places
    marked = [
        Place(at.file, at.line, "") for at in (each.finding for each in analysed.report.hints)
    ]
    names = Names([*measured, *marked])
    timeline = timeline_chart(attributed, names)
    by_path = path_tree(attributed, names).to_json()
    # What is only in a table or a finding has a text to show as well.
    lines = {line.key for line in analysed.report.profile.lines}
    for number, place in enumerate(measured):
        if (place.file, place.line) in lines:
            names.place(number)
    for number in range(len(marked)):
        names.place(len(measured) + number)
    return {
        "timeline": timeline,
        "flame": {"unit": "ms per step", "by_path": by_path, "by_module": None},
        "names": names.texts,
        "places": names.place_rows(),
        "source_lines": source_lines(names, attributed.profile.sources),
    }
