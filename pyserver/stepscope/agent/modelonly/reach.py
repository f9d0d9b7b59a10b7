"""What is known of one argument of forward."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Reach:
    """What is known of one argument. ``leaf`` is the first layer of torch's own that gets it."""

    leaf: Any = None
    rank: int | None = None
    axes: tuple[str, ...] = ()  # names of its axes in an einops pattern
    moved: bool = False  # axes change places before the leaf
    reshaped: bool = False
    integers: bool = False
    weight: tuple[int, ...] = ()  # shape of a parameter that it is multiplied with
    added: tuple[int, ...] = ()  # shape of a parameter that is added to it
    keys: list[str] = field(default_factory=list)
    attributes: list[str] = field(default_factory=list)
    items: int | None = None  # it is a sequence of so many
    in_list: bool = False  # it is a sequence of any length
    joined: bool = False  # it is concatenated with something else before the leaf


def note_parts(node: ast.FunctionDef | None, name: str, found: Reach) -> None:
    """Keys and attributes beyond the first that leads to a layer."""
    for part in ast.walk(node) if node is not None else ():
        holder = getattr(part, "value", None) or getattr(getattr(part, "func", None), "value", None)
        if not (isinstance(holder, ast.Name) and holder.id == name):
            continue
        key: Any = None
        if isinstance(part, ast.Subscript) and isinstance(part.slice, ast.Constant):
            key = part.slice.value
        elif isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
            if part.func.attr == "get" and part.args and isinstance(part.args[0], ast.Constant):
                key = part.args[0].value
        elif isinstance(part, ast.Attribute) and part.attr not in found.attributes:
            found.attributes.append(part.attr)
        if isinstance(key, str) and key not in found.keys:
            found.keys.append(key)


def note_axes(pattern: str, found: Reach) -> None:
    """Take the axes that the left side of an einops pattern names."""
    left = pattern.split("->")[0]
    axes: list[str] = []
    depth = 0
    for word in left.replace("(", " ( ").replace(")", " ) ").split():
        if word == "(":
            depth += 1
            axes.append("")
        elif word == ")":
            depth -= 1
        elif depth:
            axes[-1] = f"{axes[-1]} {word}".strip()
        else:
            axes.append(word)
    if not (found.axes or found.moved or found.reshaped or "..." in axes):
        found.axes = tuple(axes)
        found.rank = len(axes)
    found.reshaped = True
