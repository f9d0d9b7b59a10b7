"""Keras 3 on its torch backend.

``fit`` calls ``on_train_batch_end`` once per batch; ``evaluate`` has a callback of its own. Keras'
optimizers are not torch's, so nothing else tells that the parameters were updated.
"""

from __future__ import annotations

import sys
from typing import Any

from ..boundary import Engine
from .hooking import Framework, Reporter

_BATCHES = Engine("training batches of Keras' fit (on_train_batch_end)", updates=True)


def _hook(module: Any, reporter: Reporter) -> None:
    callbacks = sys.modules["keras.src.callbacks.callback_list"].CallbackList
    fit, batch_end = module.TorchTrainer.fit, callbacks.on_train_batch_end
    module.TorchTrainer.fit = reporter.during(fit, _BATCHES, "")
    callbacks.on_train_batch_end = reporter.after(batch_end)


FRAMEWORK = Framework(("keras.src.backend.torch.trainer",), _hook, rb"\.fit\(")
