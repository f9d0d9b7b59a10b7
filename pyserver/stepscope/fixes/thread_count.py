"""thread-count: ``torch.set_num_threads`` with the number of cores."""

from __future__ import annotations

import ast

from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.source import Source, dotted_name
from stepscope.fixes.edits import insert, replace
from stepscope.fixes.model import Fix
from stepscope.fixes.top_level import after_imports, module_name

RULE = "thread-count"


def fix(finding: Finding, source: Source, _line: int) -> Fix | None:
    """Another number in the call that there is, else a call after the imports."""
    wanted = finding.evidence.get("wanted")
    if not isinstance(wanted, (int, float)) or wanted < 1:
        return None
    count = int(wanted)
    title = f"Compute with as many threads as there are cores ({count})"
    calls = [
        node
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Call) and dotted_name(node.func).endswith("set_num_threads")
    ]
    if calls:
        given = calls[0].args[0] if len(calls) == 1 and calls[0].args else None
        if not isinstance(given, ast.Constant) or type(given.value) is not int:
            return Fix(f"Give torch.set_num_threads {count}", ())
        if given.value == count:
            return None
        edit = replace(finding.file, source.start(given), source.end(given), str(count))
        return Fix(title, (edit,))
    name, at = module_name(source, "torch"), after_imports(source)
    if name is None or at is None:
        return Fix(f"Call torch.set_num_threads({count}) before the model runs", ())
    text = f"{source.newline}{name}.set_num_threads({count}){source.newline}"
    return Fix(title, (insert(finding.file, at, text),))
