"""too-many-workers: a DataLoader has more worker processes than there are cores to run them."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.loaders import LoaderFacts, Loaders
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import abstain, measured, negligible, share_of_step, silent
from stepscope.diagnosis.rule import Rule

NAME = "too-many-workers"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When the rule speaks.

    ``per_core``: workers per core. From the first one that has no core of its own they take
    turns, and torch itself warns.
    """

    per_core: float = 1.0


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding per loader with more workers than cores."""
    loaders = facts.measured(Loaders)
    if loaders is None:
        return abstain(NAME, "reading data was not measured")
    findings: list[Finding] = []
    for loader in loaders.with_workers():
        findings += _examine(facts, loader)
    return tuple(findings)


def _examine(facts: Facts, loader: LoaderFacts) -> tuple[Finding, ...]:
    cores = facts.machine.cores
    if loader.num_workers is None or cores is None:
        return abstain(NAME, "how many workers or cores there are is not known")
    if loader.num_workers <= THRESHOLDS.per_core * cores:
        return silent(NAME, f"{loader.num_workers} workers on {cores} cores")
    if loader.key is None:
        return abstain(NAME, "no line is known for a loader")
    # Workers that wait for a disk or a network need no core: beside a GPU that is fed in time they
    # do no harm. On the CPU they take theirs from the training.
    if facts.machine.device != "cpu" and negligible(facts, loader.wait_ms):
        return silent(NAME, "nobody waits for the loader")
    have, workers = fmt.plural(cores, "core"), fmt.plural(loader.num_workers, "worker")
    return (
        measured(
            NAME,
            facts,
            loader.key,
            f"This DataLoader has {workers} for {have}: no more than {cores} can run at once. The "
            "others take turns with them and with the training, and each holds a copy of what it "
            "loads with.",
            {
                "num_workers": loader.num_workers,
                "cores": cores,
                "workers": cores,
                "wait_share": share_of_step(facts, loader.wait_ms),
            },
        ),
    )


RULE = Rule(name=NAME, title="More worker processes than cores", evaluate=evaluate)
