"""thread-count: torch computes with more threads than there are cores, or leaves cores idle."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.host import Host
from stepscope.diagnosis.facts.loaders import Loaders
from stepscope.diagnosis.facts.models import Models
from stepscope.diagnosis.finding import Finding, Severity
from stepscope.diagnosis.gates import abstain, silent
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.saying import calls_of, found

NAME = "thread-count"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From when on it is worth a word.

    ``compute``: share of the step bound by arithmetic from which on more threads would help.
    ``idle``: cores per thread from which on most of the processor does nothing.
    """

    compute: float = 0.30
    idle: float = 4.0


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding: where the number is set, else on the statement that runs the model."""
    models, host = facts.measured(Models), facts.measured(Host)
    if models is None or host is None:
        return abstain(NAME, "settings were not looked at")
    machine = facts.machine
    if machine.device != "cpu":
        return silent(NAME, "the model is not on the CPU")
    if machine.threads is None or machine.cores is None:
        return abstain(NAME, "threads or cores are not known")
    written = next(iter(calls_of(facts, ("set_num_threads",))), None)
    key = written.key if written is not None else host.forward_line
    if key is None:
        return abstain(NAME, "no statement of the loop runs the model")
    loaders = facts.measured(Loaders)
    workers = sum(one.num_workers or 0 for one in loaders.all) if loaders is not None else 0
    breakdown = facts.profile.breakdown
    evidence: dict[str, float | int | str] = {
        "threads": machine.threads,
        "cores": machine.cores,
        "workers": workers,
        "wanted": machine.cores,
    }
    if machine.threads > machine.cores:
        return found(
            NAME,
            facts,
            key,
            f"torch computes with {fmt.plural(machine.threads, 'thread')} on "
            f"{fmt.plural(machine.cores, 'core')}: they take turns, and each operator waits for "
            "the last of them.",
            evidence,
        )
    few = machine.threads * THRESHOLDS.idle <= machine.cores
    if not few or workers or breakdown.compute < THRESHOLDS.compute:
        return silent(NAME, f"{machine.threads} threads on {machine.cores} cores")
    if models.threads_asked_for and written is None:
        return silent(NAME, "an environment variable asks for that number")
    return found(
        NAME,
        facts,
        key,
        f"torch computes with {fmt.plural(machine.threads, 'thread')} of "
        f"{fmt.plural(machine.cores, 'core')}, and arithmetic bounds "
        f"{fmt.share(breakdown.compute)} of the step.",
        evidence,
        at_most=Severity.INFORMATION,
    )


RULE = Rule(name=NAME, title="Threads and cores do not match", evaluate=evaluate)
