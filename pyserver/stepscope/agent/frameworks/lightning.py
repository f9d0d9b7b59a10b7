"""Lightning's Trainer, under both of its package names.

``advance`` of the training epoch loop is one batch with all its callbacks. Sanity checks and
validation are run by other loops. The tuner's searches train, too, but for their own ends.
"""

from __future__ import annotations

import sys
from typing import Any

from ..boundary import Engine
from .hooking import Framework, Reporter

_BATCHES = Engine(
    "training batches of Lightning's Trainer (on_train_batch_end), an accumulated update as one",
    updates=False,
)
_SEARCH = Engine("batches of Lightning's Tuner", updates=False, counts=False)
_TRAINER = ".trainer.trainer"
_SEARCHES = {".tuner.lr_finder": "_lr_find", ".tuner.batch_size_scaling": "_scale_batch_size"}
_PACKAGES = ("lightning.pytorch", "pytorch_lightning")


def _hook(module: Any, reporter: Reporter) -> None:
    for ending, name in _SEARCHES.items():
        if module.__name__.endswith(ending):
            setattr(module, name, reporter.aside(getattr(module, name), _SEARCH))
            return
    package = module.__name__.removesuffix(_TRAINER)
    loop = sys.modules[f"{package}.loops.training_epoch_loop"]._TrainingEpochLoop
    fit, advance = module.Trainer.fit, loop.advance
    module.Trainer.fit = reporter.during(fit, _BATCHES, "lightning_module")
    loop.advance = reporter.after(advance)


FRAMEWORK = Framework(
    tuple(package + ending for package in _PACKAGES for ending in (_TRAINER, *_SEARCHES)),
    _hook,
    rb"\.fit\(",
)
