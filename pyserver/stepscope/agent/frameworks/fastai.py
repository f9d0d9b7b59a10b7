"""fastai's Learner.

``one_batch`` serves training and validation. fastai's optimizers are not torch's: ``_step`` tells
of an update. The learning-rate finder trains, too, but for its own ends.
"""

from __future__ import annotations

from typing import Any

from ..boundary import Engine
from .hooking import Framework, Reporter

_BATCHES = Engine(
    "training batches of fastai's Learner (after_batch), an accumulated update as one",
    updates=False,
)
_SEARCH = Engine("batches of fastai's learning-rate finder", updates=False, counts=False)
_FINDER = "fastai.callback.schedule"


def _is_training(learner: Any, *_: Any, **__: Any) -> bool:
    return bool(getattr(learner, "training", True))


def _hook(module: Any, reporter: Reporter) -> None:
    learner = module.Learner
    if module.__name__ == _FINDER:
        learner.lr_find = reporter.aside(learner.lr_find, _SEARCH)
        return
    fit, batch, step = learner._do_fit, learner.one_batch, learner._step
    learner._do_fit = reporter.during(fit, _BATCHES, "model")
    learner.one_batch = reporter.after(batch, wanted=_is_training)
    learner._step = reporter.after(step, "optimizer")


FRAMEWORK = Framework(("fastai.learner", _FINDER), _hook, rb"\.fi(?:t|ne_tune)\w*\(")
