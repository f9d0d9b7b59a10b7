"""The reports in memory, indexed for questions about one line of one file."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from stepscope.attribution.model import Assumed, LineCost, Profile
from stepscope.editor.next_steps import NextStep
from stepscope.editor.staleness import LineMap, Place
from stepscope.editor.text import statement_spans
from stepscope.report.model import Hint, Report
from stepscope.session.model import Failure


@lru_cache(maxsize=4096)
def file_key(path: str) -> str:
    """One spelling for all names of a file: editors and Python may see it through other links."""
    return os.path.normcase(os.path.realpath(path))


@dataclass(slots=True)
class MeasuredText:
    """A text as it was when it was measured, and where its lines are in a current one."""

    text: str
    _map: tuple[str, LineMap] | None = None
    _spans: dict[int, tuple[int, int]] | None = None

    def map_to(self, current: str) -> LineMap:
        """The line map to ``current``; kept until the text changes again."""
        # Comparing equal texts costs microseconds, a diff milliseconds.
        if self._map is None or self._map[0] != current:
            if self._spans is None:
                self._spans = statement_spans(self.text)
            self._map = (current, LineMap(self.text, current, self._spans))
        return self._map[1]


@dataclass(slots=True, eq=False)
class FileView:
    """What one report knows about one file."""

    path: str
    profile: Profile
    source: MeasuredText
    costs: dict[int, LineCost] = field(default_factory=dict)
    hints: list[Hint] = field(default_factory=list)

    def lines(self, current: str) -> Sequence[str]:
        """The lines of ``current``, split once per state of the text."""
        return self.source.map_to(current).lines

    def placed_lines(self, current: str) -> list[tuple[Place, LineCost]]:
        """Every line that still has a place in ``current``, in the order of the measured text."""
        line_map = self.source.map_to(current)
        placed = ((line_map.current(number), cost) for number, cost in self.costs.items())
        return [(place, cost) for place, cost in placed if place is not None]

    def line_at(self, current: str, line: int) -> tuple[Place, LineCost] | None:
        """The cost of the current line ``line`` (1-based), if it was measured."""
        line_map = self.source.map_to(current)
        measured = line_map.measured(line)
        cost = None if measured is None else self.costs.get(measured)
        if measured is None or cost is None:
            return None
        place = line_map.current(measured)
        return None if place is None else (place, cost)

    def placed_hints(self, current: str) -> list[tuple[int, int, Hint]]:
        """(first line, last line, hint) for each hint whose statement has not been edited."""
        line_map = self.source.map_to(current)
        found: list[tuple[int, int, Hint]] = []
        for hint in self.hints:
            first, last = hint.finding.line, max(hint.finding.line, hint.finding.end_line)
            place = line_map.unchanged(first, last)
            if place is not None:
                found.append((place.line, place.line + last - first, hint))
        return found


@dataclass(slots=True)
class FailureMark:
    """A run that failed on a line of the user's code."""

    path: str
    failure: Failure
    source: MeasuredText
    step: NextStep | None = None  # what can be done about it


class ReportStore:
    """The last report from each origin: the target that ran, or the recording that was opened.

    A file that is in several of them shows the newest.
    """

    def __init__(self) -> None:
        self._reports: dict[str, dict[str, FileView]] = {}  # origin -> file -> view, oldest first
        self._failures: dict[str, FailureMark] = {}  # target -> where it failed

    def add(self, report: Report, origin: str | None = None) -> list[str]:
        """Keep ``report`` in place of the earlier one of its origin; the files that it is about.

        ``origin`` is the path of a recording; None: what is reported on has run as its target.
        """
        key = file_key(report.profile.run.target if origin is None else origin)
        if origin is None:
            self._failures.pop(key, None)
        self._reports.pop(key, None)
        self._reports[key] = _views(report)
        return [view.path for view in self._reports[key].values()]

    def add_failure(self, target: str, failure: Failure, step: NextStep | None = None) -> None:
        """Remember where a run of ``target`` failed, until it is run or cleared."""
        if failure.file is None or failure.line is None:
            return
        source = MeasuredText(read_text(failure.file) or "")
        self._failures[file_key(target)] = FailureMark(failure.file, failure, source, step)

    def clear_failure(self, target: str) -> str | None:
        """Forget the failure of an earlier run of ``target``; the file it was marked in, if any."""
        mark = self._failures.pop(file_key(target), None)
        return None if mark is None else mark.path

    def clear(self, path: str | None) -> None:
        """Forget every report that knows the file ``path``; None: all of them."""
        if path is None:
            self._reports.clear()
            self._failures.clear()
            return
        key = file_key(path)
        self._reports = {
            origin: views
            for origin, views in self._reports.items()
            if key != origin and key not in views
        }
        self._failures = {
            target: mark
            for target, mark in self._failures.items()
            if key not in (target, file_key(mark.path))
        }

    def view(self, path: str) -> FileView | None:
        """The newest knowledge about the file ``path``."""
        key = file_key(path)
        for views in reversed(list(self._reports.values())):
            if key in views:
                return views[key]
        return None

    def was_edited(self, path: str, text_of: Callable[[str], str | None]) -> bool:
        """Whether any file of the newest report that knows ``path`` is no longer as it was.

        ``text_of`` tells what a file holds now.
        """
        key = file_key(path)
        for views in reversed(list(self._reports.values())):
            if key in views:
                return any(
                    not view.source.map_to(text_of(view.path) or "").is_identical
                    for view in views.values()
                )
        return False

    def assumed_in(self, path: str) -> tuple[Assumed, MeasuredText] | None:
        """What the newest report assumed about a class of the file ``path``, with its text."""
        key = file_key(path)
        for views in reversed(list(self._reports.values())):
            if key in views:
                assumed = views[key].profile.run.assumed
                if assumed is None or file_key(assumed.file) != key:
                    return None
                return assumed, views[key].source
        return None

    def failures_in(self, path: str) -> list[FailureMark]:
        """Failed runs that ended on a line of ``path``."""
        key = file_key(path)
        return [mark for mark in self._failures.values() if file_key(mark.path) == key]

    def paths(self) -> dict[str, str]:
        """Every file with something to say: its key and its name."""
        known = {key: view.path for views in self._reports.values() for key, view in views.items()}
        return known | {file_key(mark.path): mark.path for mark in self._failures.values()}


def read_text(path: str) -> str | None:
    """The file's text, or None where it cannot be read any more."""
    try:
        return Path(path).read_text(encoding="utf-8-sig", errors="replace")
    except OSError:
        return None


def _views(report: Report) -> dict[str, FileView]:
    profile = report.profile
    views: dict[str, FileView] = {}
    elsewhere: set[str] = set()

    def view_of(path: str) -> FileView | None:
        if path in elsewhere:
            return None
        key = file_key(path)
        if key not in views:
            text = profile.sources.get(path)
            # Without the measured text nothing can tell whether the file was edited since.
            if text is None and Path(path).is_absolute():
                text = read_text(path)
            if text is None:
                elsewhere.add(path)  # a file of the machine that it was recorded on
                return None
            views[key] = FileView(path, profile, MeasuredText(text))
        return views[key]

    for line in profile.lines:
        view = view_of(line.file)
        if view is not None:
            view.costs[line.line] = line
    for hint in report.hints:
        view = view_of(hint.finding.file)
        if view is not None:
            view.hints.append(hint)
    return views
