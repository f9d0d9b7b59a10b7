"""Hears of outermost calls of modules, and costs the calls below them nothing."""

from __future__ import annotations

import os
import sys
import threading
import types
from collections.abc import Callable
from typing import Any

from .standing_for import looked_through

_DYNAMO = os.path.join("torch", "_dynamo")


class ModuleCalls:
    """Stands in for ``Module.__call__`` until told to stop.

    While an outermost call runs, the class has torch's own again, so that calls below it cost
    nothing and look to torch.compile as they always do. To change an attribute of ``Module`` makes
    Python visit every subclass, hundreds of them. So once it is known which classes are called
    outermost (``narrow``), only these are stood in for.
    """

    def __init__(self, torch: Any, heard: Callable[[Any, Any], None]) -> None:
        """``heard(module, frame)`` after each outermost call; ``frame`` is the caller's."""
        self._module_class = torch.nn.Module
        self._original = self._module_class.__call__
        self._heard = heard
        self._seen: set[Any] = set()  # classes of the modules that were called outermost
        self._standing: dict[Any, Any] = {}  # class -> our descriptor
        self._inside = threading.local()
        self._stand_in(self._module_class)

    def narrow(self) -> None:
        """From now on hear only of modules whose class has been heard of."""
        base = self._module_class
        if list(self._standing) != [base] or not self._seen:
            return
        if any("__call__" in vars(owner) for owner in self._seen - {base}):
            return  # a class with a call of its own reaches ours through ``super()``
        for owner in self._seen - {base}:
            self._stand_in(owner)
        if base not in self._seen:
            self._step_aside(base)

    def stop(self) -> None:
        """Give everything back; hear nothing more."""
        for owner in list(self._standing):
            self._step_aside(owner)

    def _stand_in(self, owner: Any) -> None:
        descriptor = self._standing[owner] = _HeardCall(self._original, self._caller(owner))
        owner.__call__ = descriptor

    def _step_aside(self, owner: Any) -> None:
        descriptor = self._standing.pop(owner)
        if vars(owner).get("__call__") is descriptor:
            self._give_back(owner)

    def _give_back(self, owner: Any) -> None:
        if owner is self._module_class:
            owner.__call__ = self._original
        else:
            del owner.__call__

    def _caller(self, owner: Any) -> Callable[..., Any]:
        original, standing, heard, seen = self._original, self._standing, self._heard, self._seen
        inside = self._inside

        def call(module: Any, *args: Any, **kwargs: Any) -> Any:
            if getattr(inside, "value", False):
                return original(module, *args, **kwargs)  # a class that is called both ways
            inside.value = True
            if owner in standing and "__call__" in vars(owner):
                self._give_back(owner)
            try:
                result = original(module, *args, **kwargs)
            finally:
                inside.value = False
                if owner in standing:
                    owner.__call__ = standing[owner]
            seen.add(type(module))
            heard(module, sys._getframe(1))
            return result

        return looked_through(call)


class _HeardCall:
    """Gives out our call, but torch's own to torch.compile, which would trace ours."""

    def __init__(self, original: Any, call: Callable[..., Any]) -> None:
        self._original = original
        self._call = call

    def __get__(self, module: Any, owner: Any = None) -> Any:
        if module is None or _DYNAMO in sys._getframe(1).f_code.co_filename:
            return self._original.__get__(module, owner)
        return types.MethodType(self._call, module)
