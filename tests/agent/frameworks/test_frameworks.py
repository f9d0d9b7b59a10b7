"""Lightning, transformers and Accelerate from PyPI: their steps, whose work it is, the end."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agent.attempts import Project, project
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

__all__ = ["project"]

pytestmark = pytest.mark.agent

PROGRAMS = Path(__file__).parent / "programs"
CHECKPOINTS = ("kept/best.ckpt", "kept/last.ckpt")
"""Of an earlier training, which Lightning's callback would write over after the first update."""


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize(
    ("program", "boundary", "model", "saved_over"),
    [
        (
            "lightning_trainer.py",
            "training batches of Lightning's Trainer (on_train_batch_end), "
            "an accumulated update as one",
            "Regressor",
            CHECKPOINTS,
        ),
        (
            "transformers_trainer.py",
            "optimizer updates of transformers' Trainer (on_step_end)",
            "TinyLanguageModel",
            (),
        ),
    ],
)
def test_a_framework_with_a_loop_of_its_own(
    project: Project, program: str, boundary: str, model: str, saved_over: tuple[str, ...]
) -> None:
    need(program.partition("_")[0], "npm test")
    earlier = [project.file("of an earlier training", name) for name in CHECKPOINTS]
    # What is new stays, so that the folder is not as it was; the test looks at the rest itself.
    report, output = profiled(project, PROGRAMS / program, changes=True)
    assert {path.read_text() for path in earlier} == {"of an earlier training"}
    run = report.profile.run
    assert run.boundary == boundary
    assert run.files is not None
    assert {str(project.root / name) for name in saved_over} <= set(run.files.kept)
    assert run.model == model
    assert (run.steps, run.warmup) == (2, 1)
    # Sanity checks and evaluations came before and between, two micro-batches are one update.
    assert "EVALUATED" in output
    assert updates_told(output) == updates_needed(in_a_loop=False)
    check_model_lines(report)
    (call,) = marked(report, "optimizer")
    assert next(line.forward_ms for line in lines_of(report) if line.line == call) > 0


def test_accelerate_prepares_and_the_users_own_loop_counts(project: Project) -> None:
    need("accelerate", "npm test")
    report, output = profiled(project, PROGRAMS / "accelerate_loop.py")
    run = report.profile.run
    (loop,) = marked(report, "loop")
    assert run.boundary == f"optimizer steps in the loop at line {loop} of {run.target}"
    assert run.model == "Classifier"
    assert "EVALUATED" in output
    assert updates_told(output) == updates_needed(in_a_loop=True)
    check_model_lines(report)
    (call,) = marked(report, "optimizer")
    assert next(line.forward_ms for line in lines_of(report) if line.line == call) > 0
