"""gloo-on-gpu: gradients of a GPU that go through the host."""

from __future__ import annotations

from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.distributed import Distributed
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import abstain, silent
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.saying import calls_of, found

NAME = "gloo-on-gpu"


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding, where the process group is made."""
    distributed = facts.measured(Distributed)
    if distributed is None:
        return abstain(NAME, "there is no process group")
    if facts.machine.device != "cuda":
        return silent(NAME, "the model is not on a GPU")
    if distributed.backend != "gloo" or distributed.size < 2:
        return silent(NAME, f"the backend is {distributed.backend}")
    written = next(iter(calls_of(facts, ("init_process_group",))), None)
    if written is None:
        return abstain(NAME, "the line that makes the group is not in the sources")
    return found(
        NAME,
        facts,
        written.key,
        f"The {distributed.size} processes exchange gradients through gloo, which copies them to "
        "the host and back. nccl moves them between GPUs directly.",
        {"backend": distributed.backend, "processes": distributed.size},
    )


RULE = Rule(name=NAME, title="GPUs exchange gradients through the host", evaluate=evaluate)
