"""Fixes that are being measured, and what those that were have gained."""

from __future__ import annotations

from dataclasses import dataclass, replace

from stepscope.attribution.model import Profile
from stepscope.diagnosis.finding import Finding
from stepscope.editor.staleness import LineMap
from stepscope.editor.store import file_key
from stepscope.report.model import Hint, Report
from stepscope.report.source import split_lines
from stepscope.report.trial import Trial, compare_steps, describe_trial
from stepscope.session.model import ProfileRequest

UNDO = "Undo takes the edit back."

_Cause = tuple[str, str, str]
"""(rule, file, text of the line): what makes a finding of two reports the same one."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A fix that has been put into the text and not yet been measured."""

    finding: Finding
    title: str  # of the fix
    before: Profile


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of an attempt. ``trial`` None: the two runs cannot be compared, ``why``."""

    title: str
    trial: Trial | None
    why: str = ""


def describe_outcome(outcome: Outcome) -> str:
    """What a person is told of a measured fix."""
    if outcome.trial is None:
        return f"{outcome.title}: not comparable with the run before, since {outcome.why}."
    return f"{outcome.title}: {describe_trial(outcome.trial)}. {UNDO}"


class Trials:
    """How each target was run last, what is being tried with it, and what was found out."""

    def __init__(self) -> None:
        self._requests: dict[str, ProfileRequest] = {}  # by target
        self._attempts: dict[str, Attempt] = {}  # by target
        self._known: dict[_Cause, Trial] = {}

    def ran(self, request: ProfileRequest) -> None:
        """Remember how a target was run, so that it can be run the same way again."""
        self._requests[file_key(str(request.target))] = request

    def request_of(self, target: str) -> ProfileRequest | None:
        """How ``target`` was run last; None for one that was not run here (a recording)."""
        return self._requests.get(file_key(target))

    def begin(self, attempt: Attempt) -> None:
        """The fix is in the text: the next run of its target measures it."""
        self._attempts[file_key(attempt.before.run.target)] = attempt

    def drop(self, target: str) -> None:
        """Nothing is being tried with ``target`` any more."""
        self._attempts.pop(file_key(target), None)

    def finish(self, report: Report) -> Outcome | None:
        """What a new report says of the fix that was being tried; None where none was.

        A text that reads as it did before the fix tells nothing of it: it was undone meanwhile.
        """
        after = report.profile
        attempt = self._attempts.pop(file_key(after.run.target), None)
        if attempt is None:
            return None
        finding, before = attempt.finding, attempt.before
        texts = before.sources.get(finding.file), after.sources.get(finding.file)
        if texts[0] is None or texts[1] is None or LineMap(texts[0], texts[1]).is_identical:
            return None
        why = _differs(before, after)
        if why:
            return Outcome(attempt.title, None, why)
        trial = compare_steps(before.step_ms, after.step_ms)
        self._known[_cause(finding, texts[0])] = trial
        return Outcome(attempt.title, trial)

    def attached(self, report: Report) -> Report:
        """The report, its findings with the trials of their fixes as far as there were any."""
        sources = report.profile.sources
        return replace(
            report, hints=tuple(self._with_trial(hint, sources) for hint in report.hints)
        )

    def _with_trial(self, hint: Hint, sources: dict[str, str]) -> Hint:
        text = sources.get(hint.finding.file)
        trial = None if text is None else self._known.get(_cause(hint.finding, text))
        return hint if trial is None else replace(hint, trial=trial)


def _cause(finding: Finding, text: str) -> _Cause:
    lines = split_lines(text)
    line = lines[finding.line - 1] if finding.line <= len(lines) else ""
    return (finding.rule, file_key(finding.file), line.strip())


def _differs(before: Profile, after: Profile) -> str:
    """Why the steps of two runs do not compare, in words; ``""`` where they do."""
    if before.run.args != after.run.args:
        return "the file ran with other arguments"
    if before.run.device != after.run.device:
        return f"the step ran on {after.run.device}, before the fix on {before.run.device}"
    return "" if before.timed and after.timed else "a run was not timed"
