"""What a rule is. One module in ``rules/`` holds one ``RULE``; nothing else lists it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.finding import Finding


class Eases(str, Enum):
    """What a rule's advice takes work off; a step that is bound by something else gains nothing."""

    ANYTHING = "anything"
    HOST = "host"  # Python, launches, waits: of no use where the device never waits for the host


Evaluate = Callable[[Facts], tuple[Finding, ...]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A named condition.

    ``page`` is the documentation page ``docs/rules/<name>.md``; ``evaluate`` returns no finding
    where the condition does not hold or where its evidence was not measured. ``advice`` is the fix
    in words, an imperative, for a rule that has no fixer in ``fixes/``. ``eases`` is what that
    takes work off: the engine asks ``gates`` whether it can shorten the step at all. A
    ``general`` rule gives way on a line of which another rule says something measured.
    """

    name: str
    title: str
    evaluate: Evaluate
    advice: str = ""
    eases: Eases = Eases.ANYTHING
    general: bool = False

    @property
    def page(self) -> str:
        """Path of the documentation page inside the project."""
        return f"docs/rules/{self.name}.md"
