"""The hooks on frameworks, against stand-ins that have the shape of what they wait for."""

from __future__ import annotations

import importlib
import sys
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from stepscope.agent.boundary import StepFinder
from stepscope.agent.frameworks import FRAMEWORKS, Frameworks
from stepscope.agent.frameworks.hooking import Reporter
from stepscope.agent.hooks import Models
from stepscope.agent.usercode import UserCode


@dataclass
class Heard:
    """A finder that listens to frameworks. ``ticks``: how many steps have ended."""

    finder: StepFinder
    frameworks: Frameworks
    models: Models
    ticks: list[int] = field(default_factory=list)


Build = Callable[[dict[str, str]], None]


@pytest.fixture
def heard(tmp_path: Path) -> Iterator[Heard]:
    ticks: list[int] = []
    finder = StepFinder(
        UserCode([str(tmp_path / "user")]), lambda: ticks.append(1), ticks.clear, lambda _: False
    )
    models = Models()
    found = Heard(finder, Frameworks(Reporter(finder, models, finder.event)), models, ticks)
    finders = list(sys.meta_path)
    found.frameworks.watch()
    yield found
    sys.meta_path[:] = finders


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, heard: Heard) -> Iterator[Build]:
    """Write stand-in modules by dotted name; their ``update`` is a step of an optimizer."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(sys.modules, "heard", _module_of(heard))
    before = set(sys.modules)

    def write(modules: dict[str, str]) -> None:
        for name, text in modules.items():
            path = tmp_path.joinpath(*name.split(".")).with_suffix(".py")
            path.parent.mkdir(parents=True, exist_ok=True)
            for folder in path.relative_to(tmp_path).parents[:-1]:
                (tmp_path / folder / "__init__.py").touch()
            path.write_text("from heard import update\n" + textwrap.dedent(text), encoding="utf-8")

    yield write
    for name in set(sys.modules) - before:
        del sys.modules[name]


def _module_of(heard: Heard) -> ModuleType:
    module = ModuleType("heard")
    module.__dict__["update"] = lambda: heard.finder.event("optimizer", None)
    return module


def load(name: str) -> Any:
    return importlib.import_module(name)


ULTRALYTICS = """
    class BaseTrainer:
        model = "the model"

        def train(self):
            self._do_train()

        def _do_train(self):
            for batch in range(6):
                self.run_callbacks("on_train_batch_start")
                if batch % 2:
                    update()
                self.run_callbacks("on_train_batch_end")
            self.run_callbacks("on_val_end")

        def run_callbacks(self, event):
            pass
"""


def test_ultralytics_announces_its_batches(heard: Heard, build: Build) -> None:
    build({"ultralytics.engine.trainer": ULTRALYTICS})
    trainer = load("ultralytics.engine.trainer").BaseTrainer()
    trainer.train()
    assert len(heard.ticks) == 3
    assert heard.finder.describe().startswith("training batches of Ultralytics' trainer")
    assert heard.models.trained() == "the model"
    del trainer
    assert heard.models.trained() is None


def test_another_version_is_left_alone(heard: Heard, build: Build) -> None:
    build({"ultralytics.engine.trainer": ULTRALYTICS.replace("run_callbacks", "announce")})
    trainer = load("ultralytics.engine.trainer").BaseTrainer
    assert trainer._do_train.__qualname__ == "BaseTrainer._do_train"
    assert not hasattr(trainer._do_train, "__wrapped__")
    assert heard.frameworks.signs() is None
    trainer().train()
    assert heard.finder.kind == "optimizer"
    assert len(heard.ticks) == 3


LIGHTNING = {
    "pytorch_lightning.loops.training_epoch_loop": """
        class _TrainingEpochLoop:
            def advance(self, updates):
                if updates:
                    update()
    """,
    "pytorch_lightning.tuner.lr_finder": """
        def _lr_find(trainer):
            trainer.fit_loop()
            update()  # of a batch that the search left by an exception
    """,
    "pytorch_lightning.trainer.trainer": """
        from pytorch_lightning.loops.training_epoch_loop import _TrainingEpochLoop
        from pytorch_lightning.tuner.lr_finder import _lr_find

        class Trainer:
            lightning_module = "the module"

            def fit_loop(self, micro=1):
                for n in range(1, 5):
                    _TrainingEpochLoop().advance(n % micro == 0)

            def fit(self, search, micro=1):
                if search:
                    _lr_find(self)
                else:
                    self.fit_loop(micro)
    """,
}


def test_lightning_under_its_other_name(heard: Heard, build: Build) -> None:
    build(LIGHTNING)
    trainer = load("pytorch_lightning.trainer.trainer").Trainer()
    trainer.fit(search=False)
    assert len(heard.ticks) == 4
    assert heard.models.trained() == "the module"
    signs = heard.frameworks.signs()
    assert signs is not None
    assert signs.search(b"trainer.fit(model)")


def test_a_search_for_a_learning_rate_is_no_training(heard: Heard, build: Build) -> None:
    build(LIGHTNING)
    trainer = load("pytorch_lightning.trainer.trainer").Trainer()
    trainer.fit(search=True)
    assert heard.finder.kind is None
    assert heard.ticks == []
    assert heard.finder.counts["optimizer"] == 5
    trainer.fit(search=False, micro=2)
    assert len(heard.ticks) == 2


def test_validation_batches_of_fastai_are_no_steps(heard: Heard, build: Build) -> None:
    build(
        {
            "fastai.learner": """
                class Learner:
                    model = None

                    def fit(self):
                        self._do_fit()

                    def _do_fit(self):
                        for batch in range(5):
                            self.training = batch < 3
                            self.one_batch()

                    def one_batch(self):
                        if self.training:
                            self._step()

                    def _step(self):
                        pass
            """
        }
    )
    load("fastai.learner").Learner().fit()
    assert heard.finder.kind == "framework"
    assert len(heard.ticks) == 3


BASELINES = {
    "stable_baselines3.common.callbacks": """
        class BaseCallback:
            def on_rollout_start(self):
                self._on_rollout_start()

            def _on_rollout_start(self):
                pass

        class CallbackList(BaseCallback):
            def _on_rollout_start(self):
                for _ in range(2):
                    BaseCallback().on_rollout_start()
    """,
    "stable_baselines3.common.off_policy_algorithm": """
        from stable_baselines3.common.callbacks import CallbackList

        class OffPolicyAlgorithm:
            policy = None

            def learn(self, iterations, learning_starts):
                for n in range(iterations):
                    CallbackList().on_rollout_start()
                    if n >= learning_starts:
                        update()
                        update()
    """,
}


def test_an_iteration_of_stable_baselines_ends_where_the_next_rollout_starts(
    heard: Heard, build: Build
) -> None:
    build(BASELINES)
    load("stable_baselines3.common.off_policy_algorithm").OffPolicyAlgorithm().learn(10, 4)
    assert heard.finder.counts["framework"] == 10
    assert len(heard.ticks) == 5


def test_a_loop_that_raises_has_ended(heard: Heard, build: Build) -> None:
    build({"ultralytics.engine.trainer": ULTRALYTICS.replace("range(6)", "iter(7)")})
    trainer = load("ultralytics.engine.trainer").BaseTrainer()
    with pytest.raises(TypeError):
        trainer.train()
    heard.finder.event("optimizer", None)
    assert heard.finder.kind == "optimizer"


def test_a_forked_child_counts_its_own_steps(heard: Heard, build: Build) -> None:
    build(LIGHTNING)
    trainer = load("pytorch_lightning.trainer.trainer").Trainer()
    trainer.fit(search=False)
    seen = dict(heard.finder.counts)
    heard.finder.begin_anew()
    assert heard.finder.kind is None
    trainer.fit(search=False)
    assert heard.finder.kind == "framework"
    assert heard.finder.counts == seen


def test_every_framework_names_what_it_waits_for() -> None:
    names = [module for framework in FRAMEWORKS for module in framework.modules]
    assert len(names) == len(set(names))
