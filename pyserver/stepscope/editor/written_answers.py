"""Answers that are JSON already: a report with its charts takes too long to write on the loop."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Written:
    """The result of a request as JSON, in ASCII."""

    text: str


def message_with(answer: Any) -> bytes | None:
    """The whole message of an answer that holds ``Written``; None for any other message."""
    result = getattr(answer, "result", None)
    if not isinstance(result, Written):
        return None
    body = f'{{"jsonrpc": "2.0", "id": {json.dumps(answer.id)}, "result": {result.text}}}'
    return f"Content-Length: {len(body)}\r\n\r\n{body}".encode("ascii")
