"""What the hooks of all frameworks are made of."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType
from typing import Any

from ..boundary import Engine, StepFinder
from ..hooks import Models
from ..standing_for import standing_for

Method = Callable[..., Any]


@dataclass(frozen=True)
class Framework:
    """``hook(module, reporter)`` is called when one of ``modules`` was imported.

    It raises ``AttributeError`` or ``KeyError``, before it has changed anything, where the module
    is not as it expects. ``starts``: how a source calls the training loop, a regular expression.
    """

    modules: tuple[str, ...]
    hook: Callable[[Any, Reporter], None]
    starts: bytes


class Reporter:
    """Tells the step finder what a framework's training loop does."""

    def __init__(
        self, finder: StepFinder, models: Models, event: Callable[[str, FrameType | None], None]
    ) -> None:
        self._finder = finder
        self._models = models
        self._event = event

    def during(self, method: Method, engine: Engine, model: str) -> Method:
        """``method`` runs the training loop. ``model``: the attribute that holds the model.

        An empty name stands for the object itself.
        """

        @standing_for(method)
        def run(this: Any, *args: Any, **kwargs: Any) -> Any:
            reference = weakref.ref(this)
            self._models.trained = lambda: _attribute(reference(), model)
            self._finder.engine_begins(engine)
            try:
                return method(this, *args, **kwargs)
            finally:
                self._finder.engine_ends()

        return run

    def aside(self, function: Method, engine: Engine) -> Method:
        """``function`` runs the training loop to try something out: none of its steps count."""

        @standing_for(function)
        def run(*args: Any, **kwargs: Any) -> Any:
            self._finder.engine_begins(engine)
            try:
                return function(*args, **kwargs)
            finally:
                self._finder.engine_ends()

        return run

    def after(
        self, method: Method, kind: str = "framework", wanted: Callable[..., bool] | None = None
    ) -> Method:
        """A call of ``method`` ends a batch, an update or an iteration, if it is ``wanted``."""

        @standing_for(method)
        def call(this: Any, *args: Any, **kwargs: Any) -> Any:
            result = method(this, *args, **kwargs)
            if wanted is None or wanted(this, *args, **kwargs):
                self.tell(kind, sys._getframe(1))
            return result

        return call

    def tell(self, kind: str, frame: FrameType | None) -> None:
        """An event has happened in ``frame``."""
        self._event(kind, frame)


def _attribute(this: Any, name: str) -> Any:
    return getattr(this, name, None) if name else this
