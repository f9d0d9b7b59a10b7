"""Prepared facts that rules read. Rules see no raw trace and do no IO.

One module here per family of facts, found by its type: a rule asks for the family that it needs and
abstains where that was not measured. The module of the same name in ``diagnosis.prepare`` makes it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from stepscope.attribution.model import Profile
from stepscope.diagnosis.facts.machine import Machine

__all__ = ["Facts", "Machine"]

Family = TypeVar("Family")


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything a rule may look at.

    ``families`` holds at most one value of each type. ``failed`` names the modules of
    ``diagnosis.prepare`` that failed, so that the reader can be told why rules are silent.
    """

    profile: Profile
    machine: Machine
    families: tuple[object, ...] = ()
    failed: tuple[str, ...] = ()

    def measured(self, family: type[Family]) -> Family | None:
        """The facts of that family; None where they were not measured."""
        return next((known for known in self.families if isinstance(known, family)), None)
