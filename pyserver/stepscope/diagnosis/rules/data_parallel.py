"""data-parallel: one process that copies the model to every device in each step."""

from __future__ import annotations

from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.models import Models
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import abstain, silent
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.saying import calls_of, found

NAME = "data-parallel"


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding, where the model is wrapped."""
    models = facts.measured(Models)
    if models is None:
        return abstain(NAME, "modules were not looked at")
    devices = max(models.data_parallel, default=0)
    if devices < 2:
        return silent(NAME, "no model is spread over devices by DataParallel")
    written = next(iter(calls_of(facts, ("DataParallel",))), None)
    if written is None:
        return abstain(NAME, "the line that wraps the model is not in the sources")
    return found(
        NAME,
        facts,
        written.key,
        f"DataParallel copies the model to {devices} devices in every step and runs all of them "
        "from one Python process, which takes turns. DistributedDataParallel has a process per "
        "device and only exchanges gradients.",
        {"devices": devices},
    )


RULE = Rule(
    name=NAME,
    title="DataParallel copies the model in every step",
    evaluate=evaluate,
    advice="Use torch.nn.parallel.DistributedDataParallel with one process per device (torchrun)",
)
