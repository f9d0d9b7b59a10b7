"""Whether code runs without a graph being made."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from stepscope.diagnosis.source import dotted_name

_OFF = ("no_grad", "inference_mode")


def without_gradients(around: Iterable[ast.AST]) -> bool:
    """Whether one of the statements is such a ``with``, or a function that is decorated so."""
    for parent in around:
        heads: list[ast.expr] = []
        if isinstance(parent, ast.With):
            heads = [item.context_expr for item in parent.items]
        elif isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)):
            heads = parent.decorator_list
        for head in heads:
            named = head.func if isinstance(head, ast.Call) else head
            if dotted_name(named).rpartition(".")[2] in _OFF:
                return True
    return False
