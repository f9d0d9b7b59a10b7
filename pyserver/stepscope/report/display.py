"""What of a report is worth showing on a line, in the words that every view shares."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.attribution.model import LineCost, Profile

SHOWN_SHARE = 0.005
"""Below this share of the step a line shows no time."""

SHOWN_OF_PEAK = 0.01
"""Below this share of the peak a line shows no memory."""

REGIMES = {
    "compute": "compute-bound",
    "memory": "memory-bound",
    "overhead": "overhead-bound",
}

BREAKDOWN_WORDS = {
    "compute": "compute",
    "memory": "memory traffic",
    "overhead": "launch overhead",
    "data": "waiting for data",
    "copy": "copies",
    "sync": "synchronising",
    "communication": "communication",
    "idle": "idle",
    "other": "other",
}
"""Every field of ``Breakdown`` in the words of a legend."""


@dataclass(frozen=True, slots=True)
class LineSummary:
    """The texts of a line; ``""`` where there is nothing to show.

    ``worker`` is time in another process: beside the step, so it has no share of it.
    """

    share: str
    cost: str
    memory: str
    worker: str = ""

    @property
    def text(self) -> str:
        """``41 % · 12.3 ms · ↑ 96 MB``."""
        parts = (self.share, self.cost, self.memory, self.worker)
        return " · ".join(part for part in parts if part)


def summarize_line(profile: Profile, line: LineCost) -> LineSummary | None:
    """What to show at the end of a line; None for a line that has no cost worth the ink."""
    share = step_share(profile, line.cost_ms)
    timed = share >= SHOWN_SHARE
    memory = _memory_text(profile, line)
    worker = _worker_text(profile, line)
    if not timed and not memory and not worker:
        return None
    return LineSummary(
        share=fmt.share(share) if timed else "",
        cost=fmt.duration(line.cost_ms) if timed else "",
        memory=memory,
        worker=worker,
    )


def step_share(profile: Profile, ms: float) -> float:
    """``ms`` per step as a share of the measured step; 0 where the step took no time."""
    return ms / profile.step_ms.median if profile.step_ms.median > 0 else 0.0


def share_of_peak(profile: Profile, line: LineCost) -> str:
    """``40 % of the peak`` that lives from a line; ``""`` where the line shows no memory."""
    if profile.memory is None or not _memory_text(profile, line):
        return ""
    return f"{fmt.share((line.live_at_peak_bytes or 0) / profile.memory.peak_bytes)} of the peak"


def is_whole_function(profile: Profile, line: LineCost) -> bool:
    """Whether the line is where a function begins, and stands for all of it."""
    return profile.whole_functions and not line.exact


def describe_function(profile: Profile, line: LineCost) -> str:
    """How much more than the line a cost may be of, one sentence; ``""`` where it is the line's."""
    if is_whole_function(profile, line):
        return (
            "Whole function, recorded: a trace knows where a function begins, not the lines inside "
            "it, and was made with the profiler on."
        )
    return "" if line.exact else "Only the function is known, not the line inside it."


def measured_at(profile: Profile) -> str:
    """``14:05``: when it was measured; ``""`` where that is not known."""
    return "" if profile.run.started is None else fmt.moment(profile.run.started)


def describe_moment(profile: Profile) -> str:
    """When and on what it was measured, one sentence; ``""`` where that is not known."""
    at = measured_at(profile)
    return f"Measured {at} on {profile.run.device}." if at else ""


def describe_unattributed(profile: Profile) -> str:
    """What of the step stands on no line, in a few words; ``""`` where all of it does."""
    share = step_share(profile, profile.unattributed.cost_ms)
    if not profile.timed or share < SHOWN_SHARE:
        return ""
    return f"{fmt.share(share)} on no line of yours ({fmt.duration(profile.unattributed.cost_ms)})"


def describe_peak(profile: Profile) -> str:
    """What is known of the peak beside the lines, one sentence; ``""`` without anything to say."""
    memory = profile.memory
    if memory is None or memory.categories is not None:
        return ""
    text = "This recording does not tell what memory is for, so the peak has no categories"
    if memory.before_bytes:
        share = memory.before_bytes / memory.peak_bytes if memory.peak_bytes else 0.0
        text += (
            f"; {fmt.size(memory.before_bytes)} of it ({fmt.share(share)}) was allocated before "
            "the recording began"
        )
    return f"{text}."


def has_accelerator(profile: Profile) -> bool:
    """Whether the step ran on something other than the CPU."""
    return not profile.run.device.startswith("cpu")


def describe_steps(profile: Profile) -> str:
    """How many steps were timed and how they were found, one sentence."""
    if not profile.timed:
        return f"Nothing was timed: {profile.run.boundary.rstrip('.')}."
    timed = fmt.plural(profile.run.steps, "step")
    warmup = profile.run.warmup
    after = f" after {warmup} to warm up" if warmup else ""
    where = "" if profile.run.process == "main" else f" in {profile.run.process}"
    return f"{timed} timed{after}{where}; steps found by: {profile.run.boundary.rstrip('.')}."


def describe_assumed(profile: Profile) -> tuple[str, ...]:
    """How a model was made that no script ran, one sentence; nothing for a script's own model."""
    assumed = profile.run.assumed
    if assumed is None:
        return ()
    inputs = f"called with {assumed.inputs}" if assumed.inputs else "called without arguments"
    return (
        f"Assumed, not your workload: the model is {assumed.constructor}, {inputs} "
        f"(from {assumed.source}).",
    )


def describe_recomputed(profile: Profile) -> tuple[str, ...]:
    """What activation checkpointing repeats, one sentence; nothing where it repeats nothing."""
    again = profile.recomputed_ms
    if not profile.timed or again is None or step_share(profile, again) < SHOWN_SHARE:
        return ()
    return (
        f"Activation checkpointing runs {fmt.duration(again)} of forward work a second time in the "
        f"backward pass ({fmt.share(step_share(profile, again))} of the step).",
    )


def describe_overlap(profile: Profile) -> tuple[str, ...]:
    """How much of the communication computation hides, one sentence; nothing without any."""
    whole, hidden = profile.totals.communication_ms, profile.totals.hidden_ms
    if not profile.timed or not whole or hidden is None:
        return ()
    return (f"{fmt.share(hidden / whole)} of the communication is hidden behind computation.",)


def describe_tax(profile: Profile) -> str:
    """What profiling itself cost, one sentence; ``""`` where that is not known."""
    if profile.tax is None or not profile.timed:
        return ""
    return (
        f"While lines were being mapped a step took {fmt.ratio(profile.tax)} its clean time; "
        "all times here are scaled to the clean step."
    )


def describe_device(profile: Profile) -> str:
    """What ``work`` means in this report, one sentence; ``""`` where nothing was timed."""
    if not profile.timed:
        return ""
    if has_accelerator(profile):
        return f"Forward and backward are device time on {profile.run.device}."
    return (
        "CPU figures: forward and backward are operator time on the CPU; no GPU was measured, and "
        "there both the times and what is slow may differ."
    )


def _worker_text(profile: Profile, line: LineCost) -> str:
    if line.worker_ms is None or step_share(profile, line.worker_ms) < SHOWN_SHARE:
        return ""
    return f"{fmt.duration(line.worker_ms)} per batch in a loader worker"


def _memory_text(profile: Profile, line: LineCost) -> str:
    if profile.memory is None or line.live_at_peak_bytes is None:
        return ""
    live = line.live_at_peak_bytes
    if live <= 0 or live < SHOWN_OF_PEAK * profile.memory.peak_bytes:
        return ""
    return f"↑ {fmt.size(live)}"
