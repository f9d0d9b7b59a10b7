"""``python -m tests.bench [part ...]``: every number of the project, in one table.

Ratios are taken side by side in one run, in turns, as medians: the machine may be shared and slow.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable

from tests.bench import guard, latency, overhead, planted, rivals, server, traces
from tests.bench.running import CONDITIONS
from tests.bench.table import Row, show

PARTS: dict[str, tuple[str, Callable[[], list[Row]]]] = {
    "overhead": ("What measuring costs", overhead.rows),
    "guard": ("What keeping files costs", guard.rows),
    "planted": ("Planted lines against timing each alone", planted.rows),
    "report": ("Waiting for the report", latency.report_rows),
    "run": ("Waiting for the whole run", latency.run_rows),
    "server": ("The language server", server.rows),
    "traces": ("Opening recorded traces", traces.rows),
    "rivals": ("Beside other line profilers", rivals.rows),
}


def main() -> int:
    """Measure the parts that were asked for, all of them by default. Returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("part", nargs="*", help=", ".join(PARTS))
    wanted = parser.parse_args().part or list(PARTS)
    unknown = sorted(set(wanted) - set(PARTS))
    if unknown:
        parser.error(f"there is no part {', '.join(unknown)}; parts are {', '.join(PARTS)}")
    os.environ.update(CONDITIONS)
    sections = {}
    begun = time.perf_counter()
    for name in wanted:
        title, measure = PARTS[name]
        print(f"{time.perf_counter() - begun:4.0f} s  {name} ...", file=sys.stderr, flush=True)
        sections[title] = measure()
    show(sections)
    short = [row.what for rows in sections.values() for row in rows if row.verdict == "short"]
    print(
        f"took {time.perf_counter() - begun:.0f} s; {len(short) or 'nothing'} short of its target"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
