"""slow-input: the step waits for a DataLoader that more workers would make faster.

Gated by the measured wait: a loader without workers that nobody waits for is no finding. Named
``num_workers`` comes from measured times, never from "all cores": past the number that keeps up,
workers only take memory and processor time away.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from stepscope import format as fmt
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.loaders import LoaderFacts, Loaders
from stepscope.diagnosis.finding import Finding, Severity
from stepscope.diagnosis.gates import abstain, last_line, negligible, share_of_step, silent
from stepscope.diagnosis.lateness import late_now_and_then
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.worker_plan import Plan, plan_workers

NAME = "slow-input"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Shares of the step spent waiting for one loader.

    Under 10 % the wait is of the size of a step's usual spread over a run; from 20 % on it is
    more than most changes to a model would save, so it comes first.
    """

    information: float = 0.10
    warning: float = 0.20


THRESHOLDS = Thresholds()


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding per loader that the step waits for and that more workers would speed up."""
    loaders = facts.measured(Loaders)
    if loaders is None:
        return abstain(NAME, "reading data was not measured")
    findings: list[Finding] = []
    for loader in loaders.all:
        findings += _examine(facts, loader)
    return tuple(findings)


def _examine(facts: Facts, loader: LoaderFacts) -> tuple[Finding, ...]:
    key = loader.construct or loader.loop
    if key is None:
        return abstain(NAME, "no line is known for a loader")
    share = share_of_step(facts, loader.wait_ms)
    if share < THRESHOLDS.information:
        return silent(NAME, f"waits {share:.3f} of the step")
    if loader.num_workers is None:
        return abstain(NAME, "how many workers there are is not known")
    if late_now_and_then(facts, loader) is not None:
        return silent(NAME, "the workers keep up; a batch is late now and then")
    plan = plan_workers(facts, loader, loader.num_workers)
    if plan.workers <= loader.num_workers:
        return silent(NAME, f"{loader.num_workers} workers are as many as could help")
    if negligible(facts, plan.gain[1]):
        return silent(NAME, f"{plan.workers} workers would save {plan.gain[1]:.3f} ms")
    evidence: dict[str, float | int | str] = {
        "wait_ms": loader.wait_ms,
        "wait_share": share,
        "num_workers": loader.num_workers,
        "workers": plan.workers,
    }
    if facts.machine.cores is not None:
        evidence["cores"] = facts.machine.cores
    if loader.num_workers == 0 and loader.fetch_cpu_ms is not None:
        evidence["fetch_cpu_ms"] = loader.fetch_cpu_ms
    if not _workers_fork(facts.profile.run.python or ""):
        evidence["start_method"] = "spawn"
    return (
        Finding(
            rule=NAME,
            file=key[0],
            line=key[1],
            end_line=last_line(facts, key),
            severity=Severity.WARNING if share >= THRESHOLDS.warning else Severity.INFORMATION,
            message=_message(facts, loader, plan),
            evidence=evidence,
            gain_ms=plan.gain,
            gain_source="From the loading time, shared by the workers and hidden by the training.",
        ),
    )


def _message(facts: Facts, loader: LoaderFacts, plan: Plan) -> str:
    wait, step = loader.wait_ms, facts.profile.step_ms.median
    how = (
        "which loads in the training process (num_workers=0)"
        if loader.num_workers == 0
        else f"whose {fmt.plural(loader.num_workers or 0, 'worker')} cannot keep up"
    )
    number = facts.machine.cores
    cores = "the cores" if number is None else fmt.plural(number, "core")
    workers = fmt.plural(plan.workers, "worker")
    if plan.enough:
        then = f"{workers} would keep up."
    else:
        then = (
            f"{workers}, as many as {cores} allow, would hide up to {fmt.duration(plan.gain[1])}."
        )
    if facts.machine.device == "cpu" and plan.spare_cores < plan.workers:
        then += f" On the CPU they share {cores} with the training, so it may be less."
    return (
        f"The step waits {fmt.duration(wait)} of {fmt.duration(step)} "
        f"({fmt.share(share_of_step(facts, wait))}) for this DataLoader, {how}. {then}"
    )


def _workers_fork(python: str) -> bool:
    """Whether workers start as copies of the process, not by importing the script again.

    Only Linux forks, and only before Python 3.14. Elsewhere a script needs a ``__main__`` guard.
    """
    version = tuple(int(part) for part in python.split(".")[:2] if part.isdigit())
    return sys.platform.startswith("linux") and version < (3, 14)


RULE = Rule(name=NAME, title="The step waits for its input", evaluate=evaluate)
