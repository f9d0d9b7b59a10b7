"""The Trainer of Hugging Face's transformers, and those built on it (TRL, sentence-transformers).

Its callback handler calls ``on_step_end`` once per update, after all of its micro-batches.
"""

from __future__ import annotations

import sys
from typing import Any

from ..boundary import Engine
from .hooking import Framework, Reporter

_UPDATES = Engine("optimizer updates of transformers' Trainer (on_step_end)", updates=True)


def _hook(module: Any, reporter: Reporter) -> None:
    handler = sys.modules["transformers.trainer_callback"].CallbackHandler
    train, step_end = module.Trainer.train, handler.on_step_end
    module.Trainer.train = reporter.during(train, _UPDATES, "model")
    handler.on_step_end = reporter.after(step_end)


FRAMEWORK = Framework(("transformers.trainer",), _hook, rb"rainer\w*\.train\(")
