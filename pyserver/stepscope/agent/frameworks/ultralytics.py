"""Ultralytics' trainers: they announce every phase by name, training batches among them."""

from __future__ import annotations

from typing import Any

from ..boundary import Engine
from .hooking import Framework, Reporter

_BATCHES = Engine(
    "training batches of Ultralytics' trainer (on_train_batch_end), an accumulated update as one",
    updates=False,
)


def _is_batch_end(_: Any, event: str, *__: Any, **___: Any) -> bool:
    return event == "on_train_batch_end"


def _hook(module: Any, reporter: Reporter) -> None:
    trainer = module.BaseTrainer
    train, announce = trainer._do_train, trainer.run_callbacks
    trainer._do_train = reporter.during(train, _BATCHES, "model")
    trainer.run_callbacks = reporter.after(announce, wanted=_is_batch_end)


FRAMEWORK = Framework(("ultralytics.engine.trainer",), _hook, rb"\.train\(")
