"""Is it true? The report's shares of planted lines against a direct timing of each by itself."""

from __future__ import annotations

import statistics
import sys
from dataclasses import dataclass, field

from stepscope.attribution.model import Profile
from stepscope.session.model import Failure
from tests.bench.ours import profile as profile_of
from tests.bench.running import SCRIPTS, ToolError, run_json
from tests.bench.table import Row, skipped

SCRIPT = "planted.py"
TURNS = 5
STEPS = 20
SMALLEST_SHARE = 0.05  # of the step; lines worth less are not judged
SHARE_LIMIT = 3.0  # points
STEP_LIMIT = 5.0  # per cent
# What these cost is Python too, which is time of the line and no operator's.
_BY_HOST_TIME = ("python", "optimizer")


@dataclass(slots=True)
class _Plant:
    """Shares of the step in per cent, one per turn."""

    direct: list[float] = field(default_factory=list)
    reported: list[float] = field(default_factory=list)


def rows() -> list[Row]:
    """One row per planted line and direction, and one for the step itself."""
    marks = _marks()
    plants: dict[tuple[str, str], _Plant] = {}
    steps: list[tuple[float, float]] = []
    for _ in range(TURNS):
        try:
            direct = run_json(sys.executable, SCRIPT, "--direct")
            profile = profile_of(SCRIPTS / SCRIPT, steps=STEPS)
        except (ToolError, Failure) as error:
            return [skipped("planted lines", str(error))]
        steps.append((profile.step_ms.median, direct["step_ms"]))
        for mark, times in direct["lines"].items():
            found = _reported(profile, mark, marks[mark])
            for way, ms, reported in zip(("forward", "backward"), times, found, strict=True):
                plant = plants.setdefault((mark, way), _Plant())
                plant.direct.append(100 * ms / direct["step_ms"])
                plant.reported.append(100 * reported / profile.step_ms.median)
    result = [_row(*key, plant) for key, plant in plants.items()]
    off = statistics.median(reported / own - 1 for reported, own in steps)
    own_ms = statistics.median(own for _, own in steps)
    return [
        *(row for row in result if row is not None),
        Row(
            "step time reported, off the script's own without us",
            abs(100 * off),
            "%",
            STEP_LIMIT,
            f"{100 * off:+.1f} % of {own_ms:.1f} ms, median of {TURNS} pairs of runs",
        ),
    ]


def _row(mark: str, way: str, plant: _Plant) -> Row | None:
    direct = statistics.median(plant.direct)
    if direct < 100 * SMALLEST_SHARE:
        return None
    reported = statistics.median(plant.reported)
    off = statistics.median(a - b for a, b in zip(plant.reported, plant.direct, strict=True))
    note = f"{reported:.1f} % reported, {direct:.1f} % timed alone"
    return Row(f"{mark}, {way}: share is off by", abs(off), "points", SHARE_LIMIT, note)


def _reported(profile: Profile, mark: str, numbers: list[int]) -> tuple[float, float]:
    """Forward and backward ms of the planted lines."""
    lines = [line for line in profile.lines if line.line in numbers]
    if mark in _BY_HOST_TIME:
        return sum(line.host_ms for line in lines), 0.0
    return sum(line.forward_ms for line in lines), sum(line.backward_ms for line in lines)


def _marks() -> dict[str, list[int]]:
    """Lines by what their ``# plant:`` comment calls them."""
    found: dict[str, list[int]] = {}
    text = (SCRIPTS / SCRIPT).read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), 1):
        _, mark, name = line.partition("# plant: ")
        if mark:
            found.setdefault(name.strip(), []).append(number)
    return found
