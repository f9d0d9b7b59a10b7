"""autocast: put the forward pass of the loop, and its loss, under ``torch.autocast``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.source import Place, Source, calls, dotted_name
from stepscope.fixes.edits import stands_alone, wrap
from stepscope.fixes.gradients import without_gradients
from stepscope.fixes.model import Fix
from stepscope.fixes.rewriting import torch_name
from stepscope.fixes.top_level import importing

RULE = "autocast"

_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
# Calls that end what is wrapped: they change state or leave the device.
_ENDS = ("backward", "step", "zero_grad", "item", "cpu", "tolist", "numpy")


def fix(finding: Finding, source: Source, line: int) -> Fix | None:
    """Wrap the statement on ``line`` and the loss that follows it; advice where that is not safe.

    Safe is what can be seen to leave the backward pass outside: it follows in the same function,
    or gradients are off. Autocast asks for that.
    """
    place = source.place_at(line)
    if place is None or _under_autocast(place):
        return None
    reason = _reason_against(source, place)
    if reason:
        return Fix(f"Run the forward pass under torch.autocast({reason})", ())
    device = finding.evidence.get("device")
    device_type = device if isinstance(device, str) and device else "cuda"
    known = torch_name(source, place)
    name = known or "torch"
    last = _last_of_loss(place)
    with_line = f'with {name}.autocast(device_type="{device_type}", dtype={name}.bfloat16):'
    edits = wrap(source, finding.file, place, last, with_line)
    if known is None:
        # First, so that it comes before the wrapped statement where both are in one place.
        edits = (*importing(finding.file, source, "torch"), *edits)
    return Fix("Run the forward pass in bfloat16 (torch.autocast)", edits)


def _reason_against(source: Source, place: Place) -> str:
    """Why the statement cannot be wrapped here, as the end of the advice; ``""`` if it can."""
    statement = place.statement
    if not isinstance(statement, _SIMPLE):
        return "): by hand, as it is part of this line only"
    if not stands_alone(source, place) or not any(calls(statement)):
        return "): by hand, as other statements share this line"
    if _calls_method(statement, "backward") or _runs_backward(source, statement):
        return "): inside what this line calls, without its backward pass"
    if not (_backward_follows(source, place) or without_gradients(place.parents)):
        return "): no backward pass is to be seen after this line"
    if _mentions(source, ("BCELoss", "binary_cross_entropy")):
        return "): first use binary_cross_entropy_with_logits, plain BCE is refused under it"
    if _mentions(source, ("numpy",)) and _result_goes_to_numpy(place):
        return "): NumPy has no bfloat16, call .float() before .numpy()"
    return ""


def _under_autocast(place: Place) -> bool:
    parts = [*place.parents, place.statement]
    heads = [item.context_expr for p in parts if isinstance(p, ast.With) for item in p.items]
    heads += [d for p in parts if isinstance(p, _FUNCTIONS) for d in p.decorator_list]
    return any("autocast" in dotted_name(c.func) for head in heads for c in calls(head))


def _calls_method(node: ast.AST, *names: str) -> bool:
    return any(dotted_name(call.func).rpartition(".")[2] in names for call in calls(node))


def _runs_backward(source: Source, statement: ast.stmt) -> bool:
    """Whether a function of this module that the statement calls runs a backward pass."""
    bodies: dict[str, list[ast.stmt]] = {}
    for node in ast.walk(source.tree):
        if isinstance(node, _FUNCTIONS):
            bodies.setdefault(node.name, []).extend(node.body)
    seen: set[str] = set()
    pending: list[ast.AST] = [statement]
    while pending:
        for call in calls(pending.pop()):
            name = dotted_name(call.func).rpartition(".")[2]
            if name == "backward":
                return True
            if name in bodies and name not in seen:
                seen.add(name)
                pending += bodies[name]
    return False


def _backward_follows(source: Source, place: Place) -> bool:
    """Whether a backward pass comes later in this block or in one around it, same function."""
    inner: ast.AST = place.statement
    for parent in reversed((source.tree, *place.parents)):
        for block in _blocks(parent):
            index = next((i for i, child in enumerate(block) if child is inner), len(block))
            if any(_calls_method(later, "backward") for later in block[index + 1 :]):
                return True
        if isinstance(parent, _FUNCTIONS):
            return False
        inner = parent
    return False


def _blocks(parent: ast.AST) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        block = getattr(parent, name, None)
        if isinstance(block, list):
            yield block


def _mentions(source: Source, names: tuple[str, ...]) -> bool:
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Attribute) and node.attr in names:
            return True
        if isinstance(node, ast.Name) and node.id in names:
            return True
    return False


def _result_goes_to_numpy(place: Place) -> bool:
    """Whether a later statement of the block hands something made from the result to NumPy."""
    names = _targets(place.statement)
    for later in place.block[place.index + 1 :]:
        if _reads(later, names):
            if _calls_method(later, "numpy") and not _calls_method(later, "float"):
                return True
            names |= _targets(later)
    return False


def _last_of_loss(place: Place) -> ast.stmt:
    """The last of the assignments right after ``place`` that only carry its result on."""
    names = _targets(place.statement)
    last = place.statement
    for later in place.block[place.index + 1 :]:
        if (
            not isinstance(later, (ast.Assign, ast.AnnAssign))
            or later.value is None
            or not _reads(later.value, names)
            or _calls_method(later, *_ENDS)
        ):
            break
        last = later
        names |= _targets(later)
    return last


def _targets(statement: ast.stmt) -> set[str]:
    return {
        node.id
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def _reads(node: ast.AST, names: set[str]) -> bool:
    return any(
        isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load) and part.id in names
        for part in ast.walk(node)
    )
