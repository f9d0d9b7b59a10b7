"""persistent-workers: the workers are started anew at every epoch, and the step waits for that."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.loaders import LoaderFacts, Loaders
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import (
    NEGLIGIBLE_SHARE,
    abstain,
    measured,
    share_of_average,
    silent,
)
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.saying import of_average

NAME = "persistent-workers"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When the rule speaks.

    ``share``: of the step, when the gap between two epochs is spread over the steps of one.
    """

    share: float = NEGLIGIBLE_SHARE


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding per loader whose epochs begin with a wait for new workers."""
    loaders = facts.measured(Loaders)
    if loaders is None:
        return abstain(NAME, "reading data was not measured")
    findings: list[Finding] = []
    for loader in loaders.with_workers():
        findings += _examine(facts, loader)
    return tuple(findings)


def _examine(facts: Facts, loader: LoaderFacts) -> tuple[Finding, ...]:
    if loader.persistent_workers:
        return silent(NAME, "the workers stay")
    if loader.persistent_workers is None or not loader.num_workers:
        return abstain(NAME, "whether the workers stay is not known")
    if loader.epoch_gap_ms is None or loader.key is None:
        return abstain(NAME, "no epoch began in the measured steps")
    spread = loader.epoch_gap_ms * loader.epochs_per_step
    share = share_of_average(facts, spread)
    if share < THRESHOLDS.share:
        return silent(NAME, f"beginning an epoch takes {share:.3f} of a step")
    return (
        measured(
            NAME,
            facts,
            loader.key,
            f"Between two epochs lie {fmt.duration(loader.epoch_gap_ms)} of waiting: this "
            f"DataLoader starts its {fmt.plural(loader.num_workers, 'worker')} anew every time. "
            f"Spread over an epoch's steps that is {of_average(facts, spread)}; "
            "persistent_workers=True keeps them.",
            {
                "epoch_gap_ms": loader.epoch_gap_ms,
                "epochs_per_step": loader.epochs_per_step,
                "share": share,
                "num_workers": loader.num_workers,
            },
            gain_ms=(0.0, spread),
            gain_source="At most the gap between epochs, spread over the steps of one.",
        ),
    )


RULE = Rule(name=NAME, title="Workers are started anew at every epoch", evaluate=evaluate)
