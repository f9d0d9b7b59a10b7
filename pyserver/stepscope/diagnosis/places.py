"""Where in the source models and layers are made."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from stepscope.attribution.model import LineKey
from stepscope.diagnosis import source
from stepscope.diagnosis.facts import Facts

CONVOLUTIONS = ("Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d")
_BIAS_AT = 8  # of bias among a convolution's positional parameters
_NORMS = ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm")


def model_line(facts: Facts) -> LineKey | None:
    """The statement ``model = Net(...)`` outside the class itself; None if there is not just one.

    ``Net`` is the class that the run names as the model's.
    """
    name = facts.profile.run.model
    if not name:
        return None
    found: list[LineKey] = []
    for file, text in sorted(facts.profile.sources.items()):
        parsed = source.parse(text)
        if parsed is None:
            continue
        for place in parsed.places:
            if isinstance(place.statement, ast.Assign) and any(
                source.dotted_name(call.func).rpartition(".")[2] == name
                for call in source.calls(place.statement.value)
            ):
                found.append((file, place.statement.lineno))
    return found[0] if len(found) == 1 else None


@dataclass(frozen=True, slots=True)
class Construction:
    """A call that makes a convolution with a bias, with a batch norm behind it by the source.

    ``first`` and ``last`` are the lines of the class whose ``forward`` calls both by name; None
    where they are neighbours in a container, which may be called from anywhere.
    """

    key: LineKey
    first: int | None
    last: int | None

    def may_be(self, line: LineKey) -> bool:
        """Whether a convolution that ran on ``line`` may be this one."""
        if self.first is None or self.last is None:
            return True
        return line[0] == self.key[0] and self.first <= line[1] <= self.last


def biased_constructions(sources: dict[str, str]) -> tuple[Construction, ...]:
    """Every such call, by file and line."""
    found: dict[LineKey, Construction] = {}
    for file, text in sorted(sources.items()):
        parsed = source.parse(text)
        if parsed is None:
            continue
        for call in _neighbours(parsed.tree):
            key = (file, call.lineno)
            found.setdefault(key, Construction(key, None, None))
        for node in ast.walk(parsed.tree):
            if isinstance(node, ast.ClassDef):
                for call in _by_name(node):
                    key = (file, call.lineno)
                    found[key] = Construction(key, node.lineno, node.end_lineno)
    return tuple(found[key] for key in sorted(found))


def makes_bias(call: ast.Call) -> bool:
    """Whether the call makes a convolution, as far as one can see with a bias."""
    if source.dotted_name(call.func).rpartition(".")[2] not in CONVOLUTIONS:
        return False
    if any(keyword.arg is None for keyword in call.keywords):
        return False
    given = next((k.value for k in call.keywords if k.arg == "bias"), None)
    if given is None:
        return len(call.args) < _BIAS_AT
    return isinstance(given, ast.Constant) and given.value is True


def _is_norm(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and source.dotted_name(node.func).rpartition(".")[2] in _NORMS


def _neighbours(tree: ast.Module) -> Iterator[ast.Call]:
    """Convolutions directly before a batch norm in ``Sequential(...)`` or in a list."""
    for node in ast.walk(tree):
        parts: list[ast.expr] = []
        if isinstance(node, ast.Call):
            parts = node.args
        elif isinstance(node, (ast.List, ast.Tuple)):
            parts = node.elts
        for one, next_one in pairwise(parts):
            if isinstance(one, ast.Call) and makes_bias(one) and _is_norm(next_one):
                yield one


def _by_name(node: ast.ClassDef) -> Iterator[ast.Call]:
    """Convolutions whose attribute is called right before a batch norm's in a method."""
    made: dict[str, ast.Call] = {}
    norms: set[str] = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Assign) and len(part.targets) == 1:
            name = source.dotted_name(part.targets[0])
            if isinstance(part.value, ast.Call) and makes_bias(part.value):
                made[name] = part.value
            elif _is_norm(part.value):
                norms.add(name)
    for part in ast.walk(node):
        if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)):
            called = _called_in_order(part, {*made, *norms})
            for one, next_one in pairwise(called):
                if one in made and next_one in norms:
                    yield made[one]


def _called_in_order(node: ast.AST, names: set[str]) -> list[str]:
    """``names`` that are called, in the order of evaluation: arguments before the call itself."""
    found: list[str] = []
    for child in ast.iter_child_nodes(node):
        found += _called_in_order(child, names)
    if isinstance(node, ast.Call):
        name = source.dotted_name(node.func)
        if name.startswith("self."):
            found.append(name if name in names else "")
    return found
