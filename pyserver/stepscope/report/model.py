"""The report: the product of one run, which every view draws and scripts read as JSON.

The JSON (``to_json``) follows ``report.schema.json``, the published schema; TypeScript types are
generated from it.
"""

from __future__ import annotations

from dataclasses import dataclass

from stepscope.attribution.model import Profile
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.verdict import Verdict
from stepscope.fixes.model import Fix
from stepscope.report.trial import Trial

SCHEMA = "stepscope/report/1"


@dataclass(frozen=True, slots=True)
class Hint:
    """A finding together with the edit that would act on it, if there is a safe one.

    ``trial`` is what that edit gained when it was measured; None: it was not.
    """

    finding: Finding
    fix: Fix | None
    trial: Trial | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """Everything a view needs. ``profile.sources`` is what staleness is judged against."""

    profile: Profile
    hints: tuple[Hint, ...]
    verdict: Verdict | None = None
