"""Recordings that somebody else made, from their files to a report.

``pipeline`` runs a target; here nothing runs. A file is untrusted: it is read, never executed.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path

from stepscope.attribution.attribute import Attributed, AttributionError, attribute
from stepscope.attribution.model import Ranks
from stepscope.attribution.ranks import Rank, compare_ranks, summarise_rank
from stepscope.diagnosis.severities import RuleSettings
from stepscope.pipeline import report_on
from stepscope.report.exports.analysed import Analysed
from stepscope.report.snapshot import snapshot_report
from stepscope.session.model import Failure, FailureKind
from stepscope.timeline.rank_files import Found, find_recordings
from stepscope.timeline.recorded import PathMap, TraceError, is_pickle, load_recording
from stepscope.timeline.snapshot.load import SnapshotError, load_snapshot

OnFile = Callable[[int, int, Path], None]
"""Told before each file is read: its number from 1, how many there are, and which it is."""


def open_recordings(
    paths: Sequence[Path],
    path_map: PathMap | None = None,
    rules: RuleSettings | None = None,
    on_file: OnFile | None = None,
) -> Analysed:
    """The report of traces, captures of ours, or a memory snapshot of torch.

    Several files, or a folder of them, are the ranks of one run: the report is that of the lowest
    rank, with all ranks compared. Blocks; call it off the event loop. ``path_map`` says where
    recorded source files are on this machine. Raises ``session.model.Failure`` with one sentence
    where no report can be made; what ``on_file`` raises passes through.
    """
    mapping = path_map or PathMap()
    try:
        found = find_recordings(paths)
        if len(found.files) > 1:
            return report_on(_ranks(found, mapping, on_file), rules)
        (path,) = found.files
        if on_file is not None:
            on_file(1, 1, path)
        if is_pickle(path):
            snapshot = load_snapshot(path).located(mapping.resolve)
            return Analysed(snapshot_report(snapshot), None)
        attributed = attribute(load_recording(path, mapping))
        return report_on(_with_notes(attributed, found.notes), rules)
    except (TraceError, SnapshotError) as error:
        raise Failure(FailureKind.USAGE, str(error)) from None
    except AttributionError as error:
        raise Failure(FailureKind.NO_STEP, f"No step could be read: {error}.") from None


def _ranks(found: Found, mapping: PathMap, on_file: OnFile | None) -> Attributed:
    """The lowest rank, with the comparison of all. One rank's events are in memory at a time."""
    notes = list(found.notes)
    ranks: dict[int, Rank] = {}
    lowest: Attributed | None = None
    for number, path in enumerate(found.files, 1):
        if on_file is not None:
            on_file(number, len(found.files), path)
        try:
            attributed = attribute(load_recording(path, mapping))
        except (TraceError, AttributionError) as error:
            notes.append(f"Left out: {str(error).rstrip('.')}.")
            continue
        told = attributed.ledgers.timeline.facts.get("rank")
        rank = told if isinstance(told, int) else _unused(ranks)
        if rank in ranks:
            notes.append(f"Left out: {path} is of rank {rank}, as is {ranks[rank].path}.")
            continue
        if not isinstance(told, int):
            notes.append(f"{path} does not say its rank; it is called {rank} here.")
        ranks[rank] = summarise_rank(attributed, rank, str(path))
        if rank == min(ranks):
            lowest = attributed
    if lowest is None:
        raise Failure(FailureKind.USAGE, " ".join(notes))
    return _with_ranks(lowest, compare_ranks(list(ranks.values()), notes))


def _unused(ranks: dict[int, Rank]) -> int:
    return max(ranks, default=-1) + 1


def _with_notes(attributed: Attributed, notes: Sequence[str]) -> Attributed:
    profile = attributed.profile
    profile = dataclasses.replace(profile, notes=(*notes, *profile.notes))
    return dataclasses.replace(attributed, profile=profile)


def _with_ranks(attributed: Attributed, ranks: Ranks) -> Attributed:
    profile = dataclasses.replace(attributed.profile, ranks=ranks)
    return dataclasses.replace(attributed, profile=profile)
