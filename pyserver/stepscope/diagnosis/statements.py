"""Where in the source a finding belongs, when the line that costs is not the one to edit."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping

from stepscope.attribution.model import LineKey
from stepscope.diagnosis import source
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.finding import Finding, Severity
from stepscope.diagnosis.gates import measured
from stepscope.diagnosis.source import Place


def finding_at(
    facts: Facts,
    rule: str,
    key: LineKey,
    severity: Severity,
    message: str,
    evidence: Mapping[str, float | int | str],
    gain_ms: tuple[float, float] | None = None,
) -> Finding:
    """A finding that underlines the whole statement at ``key``."""
    return measured(rule, facts, key, message, evidence, gain_ms, severity=severity)


def executed(facts: Facts) -> Iterator[tuple[LineKey, Place]]:
    """Every statement that ran in the step, with its first line, by file and line."""
    seen: set[tuple[str, int, int]] = set()
    for cost in facts.profile.lines:
        parsed = source.parse(facts.profile.sources.get(cost.file, ""))
        place = parsed.place_at(cost.line) if parsed and cost.calls > 0 else None
        if place is None:
            continue
        key = (cost.file, place.statement.lineno)
        if (*key, place.statement.col_offset) not in seen:
            seen.add((*key, place.statement.col_offset))
            yield key, place


def written(facts: Facts, wanted: Callable[[ast.AST], bool]) -> list[LineKey]:
    """Lines of the run's files that hold a node which is ``wanted``, whether they ran or not."""
    found: dict[LineKey, None] = {}
    for file, text in facts.profile.sources.items():
        parsed = source.parse(text)
        for node in ast.walk(parsed.tree) if parsed else ():
            if isinstance(node, ast.expr) and wanted(node):
                found.setdefault((file, node.lineno))
    return sorted(found)


def called(node: ast.AST) -> str:
    """The last part of the name of what a call calls; ``""`` for what is no call."""
    if not isinstance(node, ast.Call):
        return ""
    return source.dotted_name(node.func).rpartition(".")[2]


def import_of_torch(facts: Facts) -> LineKey | None:
    """The line of the target that imports torch first."""
    target = facts.profile.run.target
    parsed = source.parse(facts.profile.sources.get(target, ""))
    for node in parsed.tree.body if parsed else ():
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        if any(name.partition(".")[0] == "torch" for name in names):
            return (target, node.lineno)
    return None
