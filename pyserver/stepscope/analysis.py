"""Events to report: the stages behind a recording, in a row, whoever made the recording."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator
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
from stepscope.session.model import Failure, FailureKind
from stepscope.timeline.from_capture import load_timeline
from stepscope.timeline.model import Timeline
from stepscope.timeline.pausing import Pause, never
from stepscope.timeline.ranks_folder import is_rank_capture, read_ranks_folder


def analyse(capture: Path, rules: RuleSettings | None = None) -> Report:
    """A capture file -> its report. Raises ``Failure`` when it holds no whole step."""
    return analyse_capture(capture, rules).report


def analyse_capture(capture: Path, rules: RuleSettings | None = None) -> Analysed:
    """A capture file, or those of all ranks beside it -> its report and what it is made from.

    Raises ``Failure`` when it holds no whole step.
    """
    if is_rank_capture(capture.name):
        return analyse_ranks(capture.parent, rules)
    return analyse_timeline(load_timeline(capture), rules)


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


def report_on(
    attributed: Attributed, rules: RuleSettings | None = None, pause: Pause = never
) -> Analysed:
    """What was attributed, with its diagnosis. ``pause`` is called between the stages."""
    pause()
    facts = prepare_facts(attributed)
    pause()
    diagnosis = diagnose(facts, rules)
    pause()
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
