"""cudnn-benchmark: set the flag, once, after the imports."""

from __future__ import annotations

import ast

from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.source import Source, dotted_name
from stepscope.fixes.edits import insert, replace
from stepscope.fixes.model import Fix
from stepscope.fixes.top_level import after_imports, module_name

RULE = "cudnn-benchmark"

_FLAG = "backends.cudnn.benchmark"
_TITLE = "Let cuDNN look for its fastest algorithms (torch.backends.cudnn.benchmark)"


def fix(finding: Finding, source: Source, _line: int) -> Fix | None:
    """A new statement, or another value where the flag is set to False."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            if not dotted_name(node.targets[0]).endswith("cudnn.benchmark"):
                continue
            value = node.value
            if isinstance(value, ast.Constant) and value.value is False:
                edit = replace(finding.file, source.start(value), source.end(value), "True")
                return Fix(_TITLE, (edit,))
            return None
    name, at = module_name(source, "torch"), after_imports(source)
    if name is None or at is None:
        return Fix("Set torch.backends.cudnn.benchmark = True before the model runs", ())
    text = f"{source.newline}{name}.{_FLAG} = True{source.newline}"
    return Fix(_TITLE, (insert(finding.file, at, text),))
