"""What an export is made from."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope.attribution.attribute import Attributed
from stepscope.report.model import Report


@dataclass(frozen=True, slots=True)
class Analysed:
    """A report and what it was made from; ``attributed`` is None where no events were recorded."""

    report: Report
    attributed: Attributed | None
