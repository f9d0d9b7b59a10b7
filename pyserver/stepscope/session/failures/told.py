"""The agent's messages about an ending, as the record that recognisers read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from stepscope.session.failures.record import Ending, Place, Raised
from stepscope.session.model import ProfileRequest


@dataclass(frozen=True, slots=True)
class Told:
    """What the session knows of a run when the target has ended."""

    request: ProfileRequest
    python: str
    errors: str = ""  # the end of its standard error
    output: str = ""  # the end of all it printed

    def ending(self, message: dict[str, Any]) -> Ending:
        """The record of a "raised" or "ended" message."""
        site = message.get("site")
        return Ending(
            request=self.request,
            python=self.python,
            chain=tuple(
                Raised(tuple(told["types"]), told["message"], told["attributes"])
                for told in message.get("chain", ())
            ),
            code=message.get("code"),
            place=Place(*site) if site else None,
            deepest=message.get("deepest", ""),
            wanted=message.get("wanted", {}),
            versions=message.get("versions", {}),
            ticks=message["ticks"],
            process=message.get("process", "main"),
            errors=self.errors,
            output=self.output,
        )
