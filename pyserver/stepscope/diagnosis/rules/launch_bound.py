"""launch-bound: so many short kernels that the host cannot launch them fast enough."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.host import Host
from stepscope.diagnosis.facts.models import Models
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import abstain, share_of_step, silent
from stepscope.diagnosis.rule import Eases, Rule
from stepscope.diagnosis.saying import Gain, found, of_step

NAME = "launch-bound"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From when on it is worth a word.

    ``kernels`` per step: with fewer, launching them takes about a millisecond. ``median_us``:
    launching a kernel takes the host 5 to 20 µs, so shorter ones end before the next is launched.
    ``idle``: share of the step in which the device waits for work.
    """

    kernels: float = 200.0
    median_us: float = 20.0
    idle: float = 0.15


THRESHOLDS = Thresholds()


def is_launch_bound(host: Host) -> bool:
    """Whether the kernels are many and short."""
    if host.kernels is None or host.median_kernel_us is None:
        return False
    return host.kernels >= THRESHOLDS.kernels and host.median_kernel_us <= THRESHOLDS.median_us


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding, on the statement of the loop that runs the forward pass."""
    host, models = facts.measured(Host), facts.measured(Models)
    if host is None or host.idle_ms is None or host.kernels is None:
        return abstain(NAME, "kernels were not recorded")
    if models is None or host.forward_line is None:
        return abstain(NAME, "the model or its line is not known")
    share = share_of_step(facts, host.idle_ms)
    if share < THRESHOLDS.idle or not is_launch_bound(host):
        return silent(NAME, f"{host.kernels:.0f} kernels, idle {share:.3f}")
    if models.compiled:
        return silent(NAME, "the model is compiled already")
    assert host.median_kernel_us is not None
    return found(
        NAME,
        facts,
        host.forward_line,
        f"The step launches {fmt.count(host.kernels)} kernels, half of them shorter than "
        f"{host.median_kernel_us:.0f} µs: the GPU is done before the host has launched the next "
        f"one, and waits for {of_step(facts, host.idle_ms)}. torch.compile fuses them, and with "
        'mode="reduce-overhead" replays them as one CUDA graph.',
        {
            "kernels": host.kernels,
            "median_kernel_ms": host.median_kernel_us / 1e3,
            "idle_ms": host.idle_ms,
            "idle_share": share,
        },
        Gain(0.0, host.idle_ms, "At most the time in which the GPU waits for launches."),
    )


RULE = Rule(
    name=NAME,
    title="Kernels too short to launch one by one",
    evaluate=evaluate,
    advice='Compile the model: model = torch.compile(model, mode="reduce-overhead")',
    eases=Eases.HOST,
)
