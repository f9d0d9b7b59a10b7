"""What keeping files costs a script that logs every step."""

from __future__ import annotations

import statistics
import sys
from typing import Any

from tests.bench.running import ToolError, between, median_ratio, run_json
from tests.bench.table import Row, skipped

TURNS = 200  # of one step each
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
    guarded, plain = found["guarded"], found["plain"]
    # The work is the same code, and varies by more than all of the logging takes.
    work = statistics.median(plain["work"] + guarded["work"])
    ours, base = ([work + log for log in steps["log"]] for steps in (guarded, plain))
    waits = [sum(steps["waits"]) / TURNS for steps in (guarded, plain)]
    logging = [statistics.median(steps["log"]) for steps in (guarded, plain)]
    note = (
        f"{between(ours, base)}, {TURNS} pairs, processor time: {work:.1f} ms of work, then "
        f"{logging[0]:.2f} ms of logging (plain {logging[1]:.2f}), which opens two files and "
        f"writes to three. Wall time of it all {median_ratio(guarded['wall'], plain['wall']):.3f}x "
        f"({between(guarded['wall'], plain['wall'])}); waits {waits[0]:.1f} (plain {waits[1]:.1f})"
    )
    return [
        Row(what, median_ratio(ours, base), "x", LIMIT, note),
        Row(f"setting the guard up ({way})", found["start_s"], "s", START_LIMIT_S),
    ]
