"""unused-parameters: DDP looks for unused parameters in every step and finds none."""

from __future__ import annotations

from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.distributed import Distributed
from stepscope.diagnosis.finding import Finding, Severity
from stepscope.diagnosis.gates import abstain, negligible, silent
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.saying import Gain, calls_of, found, of_step

NAME = "unused-parameters"


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding, where the model is wrapped."""
    distributed = facts.measured(Distributed)
    if distributed is None or not distributed.replicas:
        return abstain(NAME, "no model is in DistributedDataParallel")
    searching = [one for one in distributed.replicas if one.find_unused_parameters]
    if not searching or any(one.static_graph for one in searching):
        return silent(NAME, "DDP does not look for unused parameters")
    if any(one.unused_bytes is None for one in searching):
        return abstain(NAME, "DDP did not count unused parameters")
    if any(one.unused_bytes for one in searching):
        return silent(NAME, "some parameters are unused")
    written = next(
        (
            call
            for call in calls_of(facts, ("DistributedDataParallel", "DDP"))
            if call.keyword("find_unused_parameters") is not None
        ),
        None,
    )
    if written is None:
        return abstain(NAME, "the line that asks for it is not in the sources")
    ms = distributed.search_ms
    if negligible(facts, ms):
        return silent(NAME, f"the search takes {ms:.3f} ms")
    return found(
        NAME,
        facts,
        written.key,
        f"find_unused_parameters=True walks through the graph in every step, in "
        f"{of_step(facts, ms)}, and every parameter was used. It also exchanges which ones were.",
        {"search_ms": ms, "replicas": len(searching)},
        Gain(0.0, ms, "All of the search."),
        at_most=Severity.INFORMATION,
    )


RULE = Rule(name=NAME, title="DDP looks for unused parameters and finds none", evaluate=evaluate)
