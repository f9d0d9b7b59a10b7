"""host-bound: the device waits while the host runs Python or launches on one line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from stepscope import format as fmt
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.host import Host
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import abstain, share_of_step, silent
from stepscope.diagnosis.rule import Eases, Rule
from stepscope.diagnosis.rules.launch_bound import is_launch_bound
from stepscope.diagnosis.saying import Gain, found, of_step

NAME = "host-bound"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Shares of the step in which the device has nothing to do although nothing is waited for.

    ``step``: below 15 % a device that is fed by one thread looks the same. ``line``: a single line
    must account for a twentieth, else there is no line to look at.
    """

    step: float = 0.15
    line: float = 0.05


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding, on the line during which the device waits longest."""
    host = facts.measured(Host)
    if host is None or host.idle_ms is None:
        return abstain(NAME, "the device's idle time was not measured")
    share = share_of_step(facts, host.idle_ms)
    if share < THRESHOLDS.step:
        return silent(NAME, f"the device waits for work {share:.3f} of the step")
    if is_launch_bound(host):
        return silent(NAME, "many short kernels are the cause, which launch-bound speaks of")
    if not host.idle or share_of_step(facts, host.idle[0].idle_ms) < THRESHOLDS.line:
        return silent(NAME, "no single line keeps the device waiting")
    worst = host.idle[0]
    others = [
        f"{Path(one.line[0]).name}:{one.line[1]} ({fmt.duration(one.idle_ms)})"
        for one in host.idle[1:3]
        if share_of_step(facts, one.idle_ms) >= THRESHOLDS.line
    ]
    then = f" Next come {' and '.join(others)}." if others else ""
    return found(
        NAME,
        facts,
        worst.line,
        f"The GPU has nothing to do for {of_step(facts, host.idle_ms)} because the host has not "
        f"launched its next work yet; {fmt.duration(worst.idle_ms)} of it pass on this line.{then}",
        {
            "idle_ms": host.idle_ms,
            "idle_share": share,
            "line_idle_ms": worst.idle_ms,
            "kernels": host.kernels or 0.0,
        },
        Gain(0.0, worst.idle_ms, "At most the GPU's idle time on this line."),
    )


RULE = Rule(
    name=NAME,
    title="The GPU waits for the host",
    evaluate=evaluate,
    advice="Move this line's Python out of the step, or overlap it with the GPU's work",
    eases=Eases.HOST,
)
