"""Which graphs of autograd are still held by tensors that the program can reach."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

_LONGEST = 2_000
_MOST = 5_000


def kept_graphs(torch: Any, step: int) -> dict[str, Any]:
    """Tensors that hold a graph at ``step``: how many, which nodes made them, the longest sum.

    ``sequences`` are autograd's numbers of the nodes (of those that torch tells, the latest
    ``_MOST``). ``sum`` is the longest chain of one kind of addition, the trace of a sum that is
    carried on from step to step: [nodes, number of its last node, number of its first]. Looks, and
    keeps nothing.
    """
    numbers: set[int] = set()
    count = 0
    longest = [0, -1, -1]
    for node in _nodes(torch):
        count += 1
        number = getattr(node, "_sequence_nr", None)
        if number is None:  # torch 2.0 does not tell
            continue
        numbers.add(number())
        if node.name().startswith("AddBackward"):
            length, first = _chain(node)
            if length > longest[0]:
                longest = [length, number(), first._sequence_nr()]
    return {"step": step, "tensors": count, "sequences": sorted(numbers)[-_MOST:], "sum": longest}


def _nodes(torch: Any) -> Iterator[Any]:
    for candidate in gc.get_objects():
        # type() instead of isinstance(): lazy proxies must not be woken up by a look at them.
        kind = type(candidate)
        if not issubclass(kind, torch.Tensor) or kind.__module__.startswith("torch._"):
            continue
        try:
            node = candidate.grad_fn
        except Exception:  # tensors of other libraries may refuse
            continue
        if node is not None and hasattr(node, "name"):
            yield node


def _chain(node: Any) -> tuple[int, Any]:
    """Additions in a row, ``node`` included, along the first operand that is one; the earliest."""
    kind, length, earliest = node.name(), 0, node
    while node is not None and length < _LONGEST:
        length, earliest = length + 1, node
        before = (following for following, _ in node.next_functions)
        node = next((n for n in before if n is not None and n.name() == kind), None)
    return length, earliest
