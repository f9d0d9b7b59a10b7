"""model-on-cpu: the model is on the CPU although there is a GPU."""

from __future__ import annotations

from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.host import Host
from stepscope.diagnosis.facts.models import Models
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import abstain, silent
from stepscope.diagnosis.places import model_line
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.saying import found

NAME = "model-on-cpu"


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding, where the model is made, else where it runs."""
    models, host = facts.measured(Models), facts.measured(Host)
    if models is None:
        return abstain(NAME, "modules were not looked at")
    if not models.accelerator_there:
        return silent(NAME, "there is no GPU")
    on_cpu = models.device_bytes.get("cpu", 0)
    elsewhere = sum(models.device_bytes.values()) - on_cpu
    if not on_cpu or on_cpu < elsewhere:
        return silent(NAME, "the model is not on the CPU")
    key = model_line(facts) or (host.forward_line if host is not None else None)
    if key is None:
        return abstain(NAME, "no line is known for the model")
    return found(
        NAME,
        facts,
        key,
        "The model's parameters are on the CPU, although this machine has a GPU that PyTorch can "
        "use. What the GPU would save was not measured.",
        {"cpu_bytes": on_cpu, "elsewhere_bytes": elsewhere},
    )


RULE = Rule(
    name=NAME,
    title="The model is on the CPU although there is a GPU",
    evaluate=evaluate,
    advice='Move the model and its inputs: .to("cuda")',
)
