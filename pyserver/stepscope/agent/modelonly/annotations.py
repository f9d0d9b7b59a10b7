"""Type annotations, taken apart."""

from __future__ import annotations

import inspect
import typing
from typing import Any


def without_none(kind: Any) -> Any:
    """``X`` of ``X | None``; the first of other unions; None for no annotation."""
    arguments = [a for a in typing.get_args(kind) if a is not type(None)]
    origin = typing.get_origin(kind)
    if getattr(origin, "__name__", str(origin)) in ("Union", "UnionType", "Optional") and arguments:
        return arguments[0]
    return None if kind is inspect.Parameter.empty else kind


def is_callable_type(kind: Any) -> bool:
    """``Callable[...]`` or ``type[...]``."""
    origin = typing.get_origin(kind)
    named = getattr(origin, "__name__", "") or getattr(kind, "__name__", "")
    return origin is type or named == "Callable"


def is_sequence(kind: Any) -> bool:
    """A list, a tuple or the like, with or without a type of its elements."""
    origin = typing.get_origin(kind) or kind
    return origin in (list, tuple) or getattr(origin, "__name__", "") in ("Sequence", "Iterable")
