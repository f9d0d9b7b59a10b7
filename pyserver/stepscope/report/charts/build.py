"""A report and the events behind it -> its charts."""

from __future__ import annotations

from stepscope.report.charts.by_path import path_tree
from stepscope.report.charts.model import Json, Names
from stepscope.report.charts.source_lines import source_lines
from stepscope.report.charts.timeline import timeline_chart
from stepscope.report.exports.analysed import Analysed


def build_charts(analysed: Analysed) -> Json | None:
    """The charts as plain data, spelt as ``report.schema.json`` says; None without events."""
    attributed = analysed.attributed
    ops = None if attributed is None else attributed.mapped.recording.ops
    if attributed is None or ops is None or not analysed.report.profile.timed:
        return None
    names = Names(attributed.ledgers.timeline.places)
    timeline = timeline_chart(attributed, names)
    by_path = path_tree(attributed, names).to_json()
    return {
        "timeline": timeline,
        "flame": {"unit": "ms per step", "by_path": by_path, "by_module": None},
        "names": names.texts,
        "places": names.place_rows(),
        "source_lines": source_lines(names, attributed.profile.sources),
    }
