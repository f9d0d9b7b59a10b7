"""Frameworks that `npm test` does not install: their steps, whose work it is, the end."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepscope.report.model import Report
from tests.agent.attempts import Project, project
from tests.agent.conftest import quiet_machine
from tests.agent.frameworks.checks import (
    ENVIRONMENT,
    check_model_lines,
    lines_of,
    marked,
    need,
    profiled,
    updates_needed,
    updates_told,
)

__all__ = ["project", "quiet_machine"]

pytestmark = pytest.mark.agent

PROGRAMS = Path(__file__).parent / "programs"
COMMAND = "npm run test:matrix"


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize(
    ("program", "package", "boundary", "model"),
    [
        (
            "keras_fit.py",
            "keras",
            "training batches of Keras' fit (on_train_batch_end)",
            "Dense",
        ),
        (
            "fastai_learner.py",
            "fastai",
            "training batches of fastai's Learner (after_batch), an accumulated update as one",
            "Regressor",
        ),
    ],
)
def test_a_framework_with_a_loop_of_its_own(
    project: Project, program: str, package: str, boundary: str, model: str
) -> None:
    need(package, COMMAND)
    report, output = profiled(project, PROGRAMS / program)
    assert report.profile.run.boundary == boundary
    assert report.profile.run.model == model
    assert "EVALUATED" in output
    assert updates_told(output) == updates_needed(in_a_loop=False)
    check_model_lines(report)
    _check_optimizer_line(report)


def test_trl_trains_with_the_trainer_of_transformers(project: Project) -> None:
    need("trl", COMMAND)
    report, output = profiled(project, PROGRAMS / "trl_sft.py")
    assert report.profile.run.boundary == "optimizer updates of transformers' Trainer (on_step_end)"
    assert report.profile.run.model == "GPT2LMHeadModel"
    assert updates_told(output) == updates_needed(in_a_loop=False)
    # The model is the library's, so all its work is on the line that calls the trainer.
    _check_optimizer_line(report)


@pytest.mark.parametrize("program", ["stable_baselines_ppo.py", "stable_baselines_dqn.py"])
def test_an_iteration_of_reinforcement_learning_is_a_step(project: Project, program: str) -> None:
    need("stable_baselines3", COMMAND)
    report, output = profiled(project, PROGRAMS / program)
    run = report.profile.run
    assert run.boundary == (
        "iterations of Stable-Baselines3's learn (a rollout and the training on it)"
    )
    assert run.model in ("ActorCriticPolicy", "DQNPolicy")
    assert updates_told(output) == updates_needed(in_a_loop=False)
    # The policy is the library's: its work is on the call of learn, the environment's on its own.
    _check_optimizer_line(report)
    calls = {line.line: line.calls for line in lines_of(report)}
    rollout = 32 if "ppo" in program else 4
    assert {calls[line] for line in marked(report, "environment")} == {rollout}


@pytest.mark.parametrize(
    ("program", "package", "model"),
    [
        ("lightning_fabric.py", "lightning", "Classifier"),
        ("geometric_graph.py", "torch_geometric", "GraphNetwork"),
    ],
)
def test_the_users_own_loop_counts(
    project: Project, program: str, package: str, model: str
) -> None:
    need(package, COMMAND)
    report, output = profiled(project, PROGRAMS / program)
    run = report.profile.run
    (loop,) = marked(report, "loop")
    assert run.boundary == f"optimizer steps in the loop at line {loop} of {run.target}"
    assert run.model == model
    assert updates_told(output) == updates_needed(in_a_loop=True)
    check_model_lines(report)
    _check_optimizer_line(report)


def _check_optimizer_line(report: Report) -> None:
    (call,) = marked(report, "optimizer")
    assert next(line.forward_ms for line in lines_of(report) if line.line == call) > 0
