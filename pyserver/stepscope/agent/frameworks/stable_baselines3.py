"""Stable-Baselines3: one pass of an algorithm's own loop, a rollout and the training on it.

Not one gradient step: a rollout, with the user's environment in it, belongs to no gradient step,
and it is where the user's own lines are. An iteration ends where the next rollout starts. Rollouts
before ``learning_starts`` are followed by no training and do not count.
"""

from __future__ import annotations

import functools
import sys
import threading
from typing import Any

from ..boundary import Engine
from .hooking import Framework, Method, Reporter

_ITERATIONS = Engine(
    "iterations of Stable-Baselines3's learn (a rollout and the training on it)", updates=False
)
_CALLBACKS = "stable_baselines3.common.callbacks"
_ALGORITHMS = {
    "stable_baselines3.common.on_policy_algorithm": "OnPolicyAlgorithm",
    "stable_baselines3.common.off_policy_algorithm": "OffPolicyAlgorithm",
}


def _hook(module: Any, reporter: Reporter) -> None:
    if module.__name__ == _CALLBACKS:
        callback = module.BaseCallback
        callback.on_rollout_start = _after_outermost(callback.on_rollout_start, reporter)
        return
    algorithm = getattr(module, _ALGORITHMS[module.__name__])
    algorithm.learn = reporter.during(algorithm.learn, _ITERATIONS, "policy")


def _after_outermost(method: Method, reporter: Reporter) -> Method:
    """A list of callbacks passes the call on to each of its callbacks."""
    inside = threading.local()

    @functools.wraps(method)
    def call(this: Any) -> Any:
        if getattr(inside, "value", False):
            return method(this)
        inside.value = True
        try:
            result = method(this)
        finally:
            inside.value = False
        reporter.tell("framework", sys._getframe(1))
        return result

    return call


FRAMEWORK = Framework((_CALLBACKS, *_ALGORITHMS), _hook, rb"\.learn\(")
