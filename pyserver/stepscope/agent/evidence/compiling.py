"""What torch.compile could not take into a graph, and what it compiled again, with its reasons.

Dynamo keeps both by itself; a script that does not compile has not loaded it, and neither do we.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..main import Agent
    from ..passes import Recorder

_MOST = 200
_LONGEST = 300  # characters of a reason


def collect(agent: Agent, recorder: Recorder) -> dict[str, Any] | None:
    """None where nothing was compiled."""
    utilities: Any = sys.modules.get("torch._dynamo.utils")
    if utilities is None or not utilities.counters["frames"]["total"]:
        return None
    return {
        "breaks": _breaks(agent, getattr(utilities, "graph_break_reasons", [])),
        "recompiles": _recompiles(agent, getattr(utilities, "guard_failures", {})),
        "limit": _limit(),
    }


def _breaks(agent: Agent, reasons: Any) -> list[dict[str, Any]]:
    """One entry per user line and reason."""
    found: dict[tuple[str, int, str], int] = {}
    for reason in list(reasons)[:_MOST]:
        if not getattr(reason, "graph_break", True):
            continue
        for summary in reversed(list(reason.user_stack)):
            if agent.user.owns_file(summary.filename):
                place = (os.path.abspath(summary.filename), summary.lineno or 1)
                key = (*place, _first_line(reason.reason))
                found[key] = found.get(key, 0) + 1
                break
    return [
        {"file": file, "line": line, "reason": reason, "count": count}
        for (file, line, reason), count in found.items()
    ]


def _recompiles(agent: Agent, failures: Any) -> list[dict[str, Any]]:
    """One entry per code object of the user's that was compiled again."""
    found = []
    for code, reasons in list(failures.items())[:_MOST]:
        if reasons and agent.user.owns_file(code.co_filename):
            found.append(
                {
                    "file": os.path.abspath(code.co_filename),
                    "line": code.co_firstlineno,
                    "function": code.co_name,
                    "count": _variants(reasons),
                    "reason": _first_line(reasons[-1]),
                }
            )
    return found


def _variants(reasons: Any) -> int:
    """How many compiled variants did not fit: each reason begins with the number of its variant.

    One more compilation tells of every variant that there was before.
    """
    return len({str(reason).partition(":")[0] for reason in reasons})


def _limit() -> int | None:
    config = sys.modules.get("torch._dynamo.config")
    limit = getattr(config, "recompile_limit", None) or getattr(config, "cache_size_limit", None)
    return limit if isinstance(limit, int) else None


def _first_line(reason: Any) -> str:
    text = str(reason).strip()
    return text.splitlines()[0].split(" # ")[0].strip()[:_LONGEST] if text else ""
