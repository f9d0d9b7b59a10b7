"""cpu-index: a tensor on the device is indexed by numbers on the host, which are copied first."""

from __future__ import annotations

from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.syncs import Syncs
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import abstain, silent
from stepscope.diagnosis.rule import Eases, Rule
from stepscope.diagnosis.source import Place
from stepscope.diagnosis.waits import WaitThresholds, wait_findings

NAME = "cpu-index"
THRESHOLDS = WaitThresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding per statement. Without an accelerator every index is where its tensor is."""
    syncs = facts.measured(Syncs)
    if syncs is None:
        return abstain(NAME, "synchronisations were not looked for")
    if facts.machine.device == "cpu":
        return silent(NAME, "everything is on the host")
    return wait_findings(
        NAME,
        facts,
        syncs.of_kind("index"),
        "an index that comes from the host (a list, an array, a CPU tensor) is copied first, which",
        _any,
        THRESHOLDS,
    )


def _any(_: Place) -> bool:
    return True


RULE = Rule(
    name=NAME,
    title="A tensor on the device is indexed from the host",
    evaluate=evaluate,
    advice="Make the index a tensor on the device once, before the loop",
    eases=Eases.HOST,
)
