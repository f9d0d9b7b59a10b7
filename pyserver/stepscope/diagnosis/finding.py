"""A finding: one cause, on one line, with its evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum


class Severity(str, Enum):
    """How much the finding matters, in the words of the Language Server Protocol."""

    WARNING = "warning"  # a large measured share of the step
    INFORMATION = "information"  # a measured, smaller share
    HINT = "hint"  # real, but its cost cannot be measured on this machine


@dataclass(frozen=True, slots=True)
class Related:
    """Another line of the same cause, and what it has to do with it in a few words."""

    file: str
    line: int
    message: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One bottleneck on the line a person would edit.

    ``evidence`` holds numbers (or short strings) in the units that their names carry
    (``wait_ms``, ``share``, ``workers``). ``gain_ms`` is ``(low, high)`` per step, or None where
    no bound can be computed; ``gain_source`` says where it comes from, one sentence. ``end_line``
    is the last line of the statement to underline.
    """

    rule: str
    file: str
    line: int
    end_line: int
    severity: Severity
    message: str
    evidence: Mapping[str, float | int | str]
    gain_ms: tuple[float, float] | None = None
    gain_source: str = ""
    related: tuple[Related, ...] = ()
