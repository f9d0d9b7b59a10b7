"""One code lens, before it becomes a type of the protocol."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from stepscope.editor.protocol import COMMAND_PROFILE


@dataclass(frozen=True, slots=True)
class Lens:
    """``arguments`` go with the file's uri to the command."""

    line: int  # 1-based
    title: str
    arguments: dict[str, Any] = field(default_factory=dict)
    command: str = COMMAND_PROFILE
