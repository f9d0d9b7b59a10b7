"""Acting right after the target has imported a module, so that what it does first still counts."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from collections.abc import Callable, Sequence
from types import ModuleType


def on_import(name: str, action: Callable[[ModuleType], None]) -> None:
    """Call ``action(module)`` right after ``name`` was imported, or now if it has been.

    Actions of one module run in the order in which they were given.
    """
    module = sys.modules.get(name)
    if module is not None:
        action(module)
        return
    finder = next((f for f in sys.meta_path if isinstance(f, _Finder)), None)
    if finder is None:
        finder = _Finder()
        sys.meta_path.insert(0, finder)
    finder.waiting.setdefault(name, []).append(action)


class _Finder(importlib.abc.MetaPathFinder):
    """Finds nothing itself; wraps the loader that the other finders have for a module, once."""

    def __init__(self) -> None:
        self.waiting: dict[str, list[Callable[[ModuleType], None]]] = {}

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        actions = self.waiting.pop(name, None)
        if actions is None:
            return None
        spec = self._spec_of_others(name, path, target)
        if spec is None or spec.loader is None:
            # Not there, or a namespace package: should it appear later, it is still wanted.
            self.waiting[name] = actions
            return None
        original = spec.loader.exec_module

        def exec_module(module: ModuleType) -> None:
            original(module)
            for action in actions:
                action(module)

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec

    def _spec_of_others(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None
    ) -> importlib.machinery.ModuleSpec | None:
        for finder in list(sys.meta_path):
            if finder is not self and (spec := finder.find_spec(name, path, target)) is not None:
                return spec
        return None
