"""Recordings that somebody else made, from their files to a report.

``pipeline`` runs a target; here nothing runs. A file is untrusted: it is read, never executed.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from stepscope.diagnosis.severities import RuleSettings
from stepscope.pipeline import analyse_timeline
from stepscope.report.exports.analysed import Analysed
from stepscope.report.snapshot import snapshot_report
from stepscope.session.model import Failure, FailureKind
from stepscope.timeline.recorded import PathMap, TraceError, is_pickle, load_recording
from stepscope.timeline.snapshot.load import SnapshotError, load_snapshot


def open_recordings(
    paths: Sequence[Path], path_map: PathMap | None = None, rules: RuleSettings | None = None
) -> Analysed:
    """The report of a trace, a capture of ours, or a memory snapshot of torch.

    Blocks; call it off the event loop. ``path_map`` says where recorded source files are on this
    machine. Raises ``session.model.Failure`` with one sentence where no report can be made.
    """
    try:
        if is_pickle(paths[0]):
            return Analysed(snapshot_report(load_snapshot(paths[0])), None)
        timeline = load_recording(paths[0], path_map or PathMap())
    except (TraceError, SnapshotError) as error:
        raise Failure(FailureKind.USAGE, str(error)) from None
    return analyse_timeline(timeline, rules)
