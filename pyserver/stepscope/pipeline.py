"""One run from request to report: the only place where the stages are put in a row."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from stepscope.attribution.attribute import Attributed, AttributionError, attribute
from stepscope.attribution.check import self_check
from stepscope.attribution.side_by_side import attribute_ranks
from stepscope.diagnosis.engine import Diagnosis, diagnose
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.prepare import prepare_facts
from stepscope.diagnosis.severities import RuleSettings
from stepscope.diagnosis.verdict import judge
from stepscope.fixes import fix_for
from stepscope.fixes.model import Fix
from stepscope.report.build import build_report
from stepscope.report.exports.analysed import Analysed
from stepscope.report.model import Report
from stepscope.session.model import (
    ENDING,
    CancelToken,
    Failure,
    FailureKind,
    OnFiles,
    OnOutput,
    OnProgress,
    Phase,
    ProfileRequest,
    Progress,
)
from stepscope.session.run import captured
from stepscope.timeline.from_capture import load_timeline
from stepscope.timeline.model import Timeline
from stepscope.timeline.ranks_folder import is_rank_capture, read_ranks_folder


def profile_target(
    request: ProfileRequest,
    on_progress: OnProgress,
    on_output: OnOutput,
    cancel: CancelToken,
    rules: RuleSettings | None = None,
    on_files: OnFiles | None = None,
    on_analysed: Callable[[Analysed], None] | None = None,
) -> Report:
    """Run the target, attribute its step, diagnose it. Blocks; call it off the event loop.

    ``on_output`` gets the target's own output as raw bytes; ``rules`` are what the person set.
    Raises ``session.model.Failure`` when no report could be made. The report is returned while the
    stopped target still winds down in its own time; the interpreter does not exit before its last
    process has. ``on_files`` is told after that, from another thread, what the run did to files.
    ``on_analysed`` is given the report with the events behind it, for exports.
    """
    with _in_background(captured(request, on_progress, on_output, cancel, on_files)) as capture:
        on_progress(Progress(Phase.ANALYSING))
        if is_rank_capture(capture.name):
            analysed = analyse_ranks(capture.parent, rules)
        else:
            analysed = analyse_timeline(load_timeline(capture), rules)
    if cancel.cancelled:
        raise Failure(FailureKind.CANCELLED, f"Profiling {request.target.name} was cancelled.")
    if on_analysed is not None:
        on_analysed(analysed)
    return analysed.report


def analyse(capture: Path, rules: RuleSettings | None = None) -> Report:
    """A capture file -> its report. Raises ``Failure`` when it holds no whole step."""
    return analyse_timeline(load_timeline(capture), rules).report


def analyse_timeline(timeline: Timeline, rules: RuleSettings | None = None) -> Analysed:
    """Events -> their report. Raises ``Failure`` when they hold no whole step."""
    try:
        attributed = attribute(timeline)
    except AttributionError as error:
        raise Failure(FailureKind.NO_STEP, f"No step could be measured: {error}.") from None
    return report_on(attributed, rules)


def analyse_ranks(folder: Path, rules: RuleSettings | None = None) -> Analysed:
    """The report of the lowest rank that recorded itself into ``folder``, with all compared.

    Raises ``Failure`` when none of them holds a whole step.
    """
    found = read_ranks_folder(folder)
    # By name: the folder itself is gone after the run.
    recordings = (
        (Path(each.path.name), functools.partial(load_timeline, each.path))
        for each in found.captures
    )
    try:
        return report_on(attribute_ranks(recordings, found.notes), rules)
    except AttributionError as error:
        raise Failure(FailureKind.NO_STEP, f"No step could be measured: {error}.") from None


def report_on(attributed: Attributed, rules: RuleSettings | None = None) -> Analysed:
    """What was attributed, with its diagnosis."""
    diagnosis = diagnose(prepare_facts(attributed), rules)
    profile = _with_notes(attributed, diagnosis)
    report = build_report(
        profile.profile, _with_fixes(profile, diagnosis.findings), judge(attributed)
    )
    return Analysed(report, attributed)


def _with_notes(attributed: Attributed, diagnosis: Diagnosis) -> Attributed:
    """A report that contradicts itself says so, whatever it shows."""
    profile = attributed.profile
    wrong = [f"Inconsistent: {problem}." for problem in self_check(profile)]
    notes = (*profile.notes, *diagnosis.notes, *wrong)
    return dataclasses.replace(attributed, profile=dataclasses.replace(profile, notes=notes))


def _with_fixes(
    attributed: Attributed, findings: tuple[Finding, ...]
) -> Iterator[tuple[Finding, Fix | None]]:
    sources = attributed.profile.sources
    for finding in findings:
        source = sources.get(finding.file)
        yield finding, None if source is None else fix_for(finding, source, finding.line)


@contextlib.contextmanager
def _in_background(
    manager: contextlib.AbstractContextManager[Path],
) -> Iterator[Path]:
    """Enter here; leave in a thread of its own if all went well.

    Leaving waits for the target to end, up to seconds, and the report need not. The thread is no
    daemon, so the interpreter waits for it: no process outlives us.
    """
    value = manager.__enter__()
    try:
        yield value
    except BaseException as error:
        if not manager.__exit__(type(error), error, error.__traceback__):
            raise
    else:
        threading.Thread(target=manager.__exit__, args=(None, None, None), name=ENDING).start()
