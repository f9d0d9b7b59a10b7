"""Which recorded step is shown."""

from __future__ import annotations

import statistics

from stepscope.timeline.from_capture import ordinary_steps
from stepscope.timeline.model import Recording


def shown_step(recording: Recording) -> tuple[int, int]:
    """(begin, end) of the step whose length is nearest the median; the first of equals."""
    steps = ordinary_steps(recording.bounds)
    median = statistics.median(end - begin for begin, end in steps)
    return min(steps, key=lambda step: abs(step[1] - step[0] - median))
