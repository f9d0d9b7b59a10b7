"""Recordings that somebody else made, from their files to a report.

``pipeline`` runs a target; here nothing runs. A file is untrusted: it is read, never executed.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from stepscope.analysis import report_on
from stepscope.attribution.attribute import Attributed, AttributionError, attribute
from stepscope.attribution.side_by_side import attribute_ranks
from stepscope.diagnosis.severities import RuleSettings
from stepscope.report.exports.analysed import Analysed
from stepscope.report.snapshot import snapshot_report
from stepscope.session.model import Failure, FailureKind
from stepscope.timeline.model import Timeline
from stepscope.timeline.pausing import Pause, never
from stepscope.timeline.rank_files import Found, find_recordings
from stepscope.timeline.recorded import (
    PathMap,
    TraceError,
    is_pickle,
    load_local_snapshot,
    load_recording,
)
from stepscope.timeline.snapshot.load import SnapshotError

OnFile = Callable[[int, int, Path], None]
"""Told before each file is read: its number from 1, how many there are, and which it is."""


def open_recordings(
    paths: Sequence[Path],
    path_map: PathMap | None = None,
    rules: RuleSettings | None = None,
    on_file: OnFile | None = None,
    pause: Pause = never,
) -> Analysed:
    """The report of traces, captures of ours, or a memory snapshot of torch.

    Several files, or a folder of them, are the ranks of one run: the report is that of the lowest
    rank, with all ranks compared. Blocks; call it off the event loop. ``path_map`` says where
    recorded source files are on this machine. Raises ``session.model.Failure`` with one sentence
    where no report can be made; what ``on_file`` and ``pause`` raise passes through;
    ``pause`` is called while a file is read and between the stages behind it.
    """
    mapping = path_map or PathMap()
    try:
        found = find_recordings(paths)
        if len(found.files) > 1:
            return report_on(_ranks(found, mapping, on_file, pause), rules, pause)
        (path,) = found.files
        if on_file is not None:
            on_file(1, 1, path)
        if is_pickle(path):
            snapshot = load_local_snapshot(path, mapping, pause)
            return Analysed(snapshot_report(snapshot), None)
        attributed = attribute(load_recording(path, mapping, pause), pause)
        return report_on(_with_notes(attributed, found.notes), rules, pause)
    except (TraceError, SnapshotError) as error:
        raise Failure(FailureKind.USAGE, str(error)) from None
    except AttributionError as error:
        raise Failure(FailureKind.NO_STEP, f"No step could be read: {error}.") from None


def _ranks(found: Found, mapping: PathMap, on_file: OnFile | None, pause: Pause) -> Attributed:
    def recordings() -> Iterator[tuple[Path, Callable[[], Timeline]]]:
        for number, path in enumerate(found.files, 1):
            if on_file is not None:
                on_file(number, len(found.files), path)
            yield path, functools.partial(load_recording, path, mapping, pause)

    try:
        return attribute_ranks(recordings(), found.notes, pause)
    except AttributionError as error:
        raise Failure(FailureKind.USAGE, str(error)) from None


def _with_notes(attributed: Attributed, notes: Sequence[str]) -> Attributed:
    profile = attributed.profile
    profile = dataclasses.replace(profile, notes=(*notes, *profile.notes))
    return dataclasses.replace(attributed, profile=profile)
