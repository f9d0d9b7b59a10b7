"""What keeping files costs a script that logs every step."""

from __future__ import annotations

import statistics
import sys
from typing import Any

from tests.bench.running import ToolError, median_ratio, run_json
from tests.bench.table import Row, skipped

TURNS = 25
LIMIT = 1.02
START_LIMIT_S = 0.1


def rows() -> list[Row]:
    """With the overlay, and with the replaced functions alone."""
    return [row for way in ("overlay", "functions") for row in _rows(way)]


def _rows(way: str) -> list[Row]:
    what = f"a step that logs, guarded ({way}) / plain"
    try:
        found: dict[str, Any] = run_json(sys.executable, "guard.py", way, str(TURNS))
    except ToolError as error:
        return [skipped(what, str(error), LIMIT)]
    if found["guard"] != way:
        return [skipped(what, "this system offers no overlay to this process", LIMIT)]
    plain = statistics.median(found["plain"])
    return [
        Row(
            what,
            median_ratio(found["guarded"], found["plain"]),
            "x",
            LIMIT,
            f"a plain step takes {plain:.1f} ms; it opens two files and writes to three",
        ),
        Row(f"setting the guard up ({way})", found["start_s"], "s", START_LIMIT_S),
    ]
