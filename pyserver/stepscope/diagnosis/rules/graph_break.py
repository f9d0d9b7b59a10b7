"""graph-break: a line that torch.compile cannot take into its graph."""

from __future__ import annotations

from stepscope import format as fmt
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.compiling import Compiling
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import abstain, silent
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.saying import found

NAME = "graph-break"


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding per line of the step at which a graph ended. What it costs is not measured."""
    compiling = facts.measured(Compiling)
    if compiling is None:
        return abstain(NAME, "nothing was compiled")
    in_step = {line.file for line in facts.profile.lines}
    findings: dict[tuple[str, int], Finding] = {}
    for broken in compiling.breaks:
        if broken.line[0] not in in_step:
            silent(NAME, f"{broken.line[0]} has no line in the step")
            continue
        if broken.line in findings:
            continue
        (finding,) = found(
            NAME,
            facts,
            broken.line,
            "torch.compile ends its graph on this line and starts another behind it: "
            f"{broken.reason.rstrip('.')}. Nothing is fused across it, and Python runs in between.",
            {"reason": broken.reason, "breaks": broken.count},
        )
        findings[broken.line] = finding
    silent(NAME, fmt.plural(len(findings), "graph break"))
    return tuple(findings.values())


RULE = Rule(
    name=NAME,
    title="torch.compile's graph ends here",
    evaluate=evaluate,
    advice="Take what cannot be compiled (printing, .item(), a branch on a value) out of the "
    "compiled function",
)
