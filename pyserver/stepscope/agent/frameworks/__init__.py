"""Where the training loops of frameworks say that a step has ended.

The target imports the framework, never we: each file here waits for the modules that it names and
wraps a method or two of their classes, so that nothing is added to what the user sees (lists of
callbacks, say). A framework of another version that lacks one of these is left alone, and steps
are found by the next rule.
"""

from __future__ import annotations

import functools
import re

from ..imports import on_import
from . import fastai, keras, lightning, stable_baselines3, transformers, ultralytics
from .hooking import Framework, Reporter

FRAMEWORKS: tuple[Framework, ...] = (
    lightning.FRAMEWORK,
    transformers.FRAMEWORK,
    keras.FRAMEWORK,
    fastai.FRAMEWORK,
    stable_baselines3.FRAMEWORK,
    ultralytics.FRAMEWORK,
)


class Frameworks:
    """The frameworks that are listened to, as the target imports them."""

    def __init__(self, reporter: Reporter) -> None:
        self._reporter = reporter
        self._hooked: list[Framework] = []

    def watch(self) -> None:
        """Hook every framework that is imported from now on."""
        for framework in FRAMEWORKS:
            for module in framework.modules:
                on_import(module, functools.partial(self._hook, framework))

    def _hook(self, framework: Framework, module: object) -> None:
        try:
            framework.hook(module, self._reporter)
        except (AttributeError, KeyError):
            return  # another version: it has no such class or method
        self._hooked.append(framework)

    def signs(self) -> re.Pattern[bytes] | None:
        """What a source says that starts a loop of a framework that is loaded, None if none is."""
        if not self._hooked:
            return None
        return re.compile(b"|".join({framework.starts for framework in self._hooked}))
