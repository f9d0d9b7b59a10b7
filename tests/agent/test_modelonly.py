"""Files that only define modules: what is found for them, and whole runs of some.

Every file of ``tests/agent/modelonly`` says in its first line what a person who reads it expects:
``# expect: found Net`` or ``# expect: no (why)``.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from stepscope.attribution.check import self_check
from stepscope.session.model import FailureKind, Phase
from tests.agent.attempts import Outcome, Project, project

__all__ = ["project"]
pytestmark = pytest.mark.agent

FILES = Path(__file__).with_name("modelonly")
SEARCH = Path(__file__).with_name("modelonly_search.py")
ROOT = Path(__file__).resolve().parents[2]
_EXPECT = re.compile(r"# expect: (found|no) \(?([^)\n]*)\)?\n")


@dataclass(frozen=True)
class Expected:
    """One file of the corpus: its model, or a part of why there is none."""

    path: Path
    found: bool
    word: str


def corpus() -> list[Expected]:
    marked = []
    for path in sorted(FILES.rglob("*.py")):
        match = _EXPECT.match(path.read_text(encoding="utf-8"))
        if match:
            marked.append(Expected(path, match[1] == "found", match[2]))
    return marked


CORPUS = corpus()


@pytest.fixture(scope="module")
def answers(quiet_machine: None) -> dict[Path, dict[str, Any]]:
    """What the search says of every file, all in one process."""
    done = subprocess.run(
        [sys.executable, str(SEARCH), *(str(entry.path) for entry in CORPUS)],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": str(ROOT / "pyserver"), "PYTHONDONTWRITEBYTECODE": "1"},
    )
    rows = [json.loads(line[1:]) for line in done.stdout.splitlines() if line.startswith("@")]
    return {Path(row["file"]): row for row in rows}


def test_the_corpus_is_large_and_varied() -> None:
    assert len(CORPUS) >= 60
    assert sum(not entry.found for entry in CORPUS) >= 6


@pytest.mark.parametrize(
    "entry", CORPUS, ids=lambda entry: str(entry.path.relative_to(FILES).with_suffix(""))
)
def test_what_a_reader_expects_is_found(
    entry: Expected, answers: dict[Path, dict[str, Any]]
) -> None:
    answer = answers[entry.path]
    if entry.found:
        assert answer["found"], answer["text"]
        assert answer["model"] == entry.word
        assert answer["backward"]
        assert answer["passed_over"] == []
    else:
        assert answer["found"] is False
        check_honest(answer["text"], entry.word)


def check_honest(text: str, word: str) -> None:
    """One sentence: what is wrong, of what, and what to write down where that helps."""
    parameter, colon, what = word.partition(": ")
    if colon:
        assert f"needs a constructor argument `{parameter}`" in text
        assert f"({what}" in text
    else:
        assert word in text.lower() or word in text
    if "no torch.nn.Module" not in text:
        assert re.search(r"; write `# stepscope: (model|inputs)=\S+` above the class\.$", text)


@pytest.mark.parametrize(
    ("name", "inputs"),
    [
        # What the files themselves say: the documented shapes, and those that their layers fix.
        ("smoke_test", r"torch\.rand\(4, 96, 7\)"),
        ("smoke_function", r"torch\.randn\(3, 4, 20, 20\), torch\.randn\(3, 2, 20, 20\)"),
        ("docstring_example", r"torch\.randn\(2, 20, 48\), torch\.randn\(2, 20, 48\)"),
        ("documented/slot_net", r"torch\.randn\(2, 9, 24\), gate=torch\.ones\(2, 9\)\.bool\(\)"),
        ("tested/shuffler", r"torch\.rand\(5, 3, 6\)"),
        ("overridden", r"torch\.randn\(6, 30, 40\), scale=0\.5"),
        ("lenet", r"torch\.randn\(2, 1, 28, 28\)"),
        ("gpt_config", r"torch\.randint\(512, \(2, 128\)\)"),
        ("recommender", r"torch\.randint\((\d+), \(2,\)\), torch\.randint\(\1, \(2,\)\)"),
        ("tabular_dict", r"\{'numeric': torch\.randn\(2, 12\), 'categorical': "
                         r"torch\.randint\(5, \(2, 3\)\)\}"),
        ("gan_generator", r"torch\.randn\(2, 100, 1, 1\)"),
        ("spectrogram_transformer", r"torch\.randn\(2, \d+, 8\)"),
        ("fpn", r"\[torch\.randn\(2, 16, 64, 64\), torch\.randn\(2, 32, 32, 32\), "
                r"torch\.randn\(2, 64, 16, 16\)\]"),
    ],
)  # fmt: skip
def test_inputs_are_those_that_the_file_means(
    name: str, inputs: str, answers: dict[Path, dict[str, Any]]
) -> None:
    assert re.fullmatch(inputs, answers[FILES / f"{name}.py"]["inputs"])


# Whole runs


def lines_with_cost(outcome: Outcome, path: Path) -> set[int]:
    lines = outcome.reported.profile.lines
    return {line.line for line in lines if line.file == str(path) and line.cost_ms > 0}


def copied(project: Project, name: str) -> Path:
    return project.file((FILES / name).read_text(encoding="utf-8"), Path(name).name)


def number(path: Path, text: str) -> int:
    rows = path.read_text(encoding="utf-8").splitlines()
    return next(index for index, row in enumerate(rows, 1) if text in row)


def starts(outcome: Outcome) -> int:
    return sum(progress.phase is Phase.STARTING for progress in outcome.progress)


def test_a_file_of_definitions_is_profiled_without_running_it_first(project: Project) -> None:
    target = copied(project, "gpt_config.py")
    outcome = project.run(target)
    run = outcome.reported.profile.run
    assert starts(outcome) == 1
    assert run.model == "GPT"
    assert run.boundary == "forward and backward of GPT with assumed inputs"
    assert run.assumed is not None
    assert (run.assumed.file, run.assumed.line) == (str(target), number(target, "class GPT(nn"))
    assert run.assumed.constructor == "GPT(config=GPTConfig())"
    assert re.fullmatch(r"torch\.randint\(512, \(\d+, 128\)\)", run.assumed.inputs)
    assert any("assumed, not your workload" in note for note in outcome.reported.profile.notes)
    assert self_check(outcome.reported.profile) == []
    costs = lines_with_cost(outcome, target)
    assert {number(target, "self.c_attn(x).split"), number(target, "logits = self.lm_")} <= costs


def test_a_smoke_test_is_run_first_and_then_taken_as_documentation(project: Project) -> None:
    target = copied(project, "smoke_test.py")
    outcome = project.run(target)
    assumed = outcome.reported.profile.run.assumed
    assert starts(outcome) == 2
    assert outcome.output.count(b"torch.Size([4, 24, 7])") == 1  # printed by its own run alone
    assert assumed is not None
    assert assumed.source == "the file's `__main__` part"
    assert re.fullmatch(r"torch\.rand\(\d+, 96, 7\)", assumed.inputs)
    assert int(re.findall(r"\d+", assumed.inputs)[0]) >= 4


def test_relative_imports_work_as_in_the_package(project: Project) -> None:
    for name in ("__init__.py", "layers.py", "network.py"):
        text = (FILES / "package" / name).read_text(encoding="utf-8")
        project.file(text, f"package/{name}")
    target = project.root / "package" / "network.py"
    outcome = project.run(target, changes=True)  # Python keeps compiled copies of what it imports
    assert outcome.reported.profile.run.model == "Network"
    layers = project.root / "package" / "layers.py"
    assert number(layers, "return self.value(x)") in lines_with_cost(outcome, layers)


def test_what_cannot_be_guessed_is_said_on_the_class(project: Project) -> None:
    target = copied(project, "needs_backbone.py")
    failure = project.run(target).failed
    assert failure.kind is FailureKind.NO_STEP
    assert failure.message == (
        "Classifier needs a constructor argument `backbone` that cannot be guessed (a module); "
        "write `# stepscope: model=Classifier(...)` above the class."
    )
    assert (failure.file, failure.line) == (str(target), number(target, "class Classifier"))


def test_expressions_of_the_person_are_taken_as_they_are(project: Project) -> None:
    target = copied(project, "needs_backbone.py")
    body = "nn.Sequential(nn.Flatten(), nn.Linear(12, 8))"
    backbone = f"type('Body', (nn.Sequential,), {{'out_features': 8}})({body})"
    outcome = project.run(
        target,
        symbol="Classifier",
        model_expression=f"Classifier({backbone}, 3)",
        inputs_expression="torch.randn(16, 3, 2, 2)",
    )
    assumed = outcome.reported.profile.run.assumed
    assert assumed is not None
    assert assumed.inputs == "torch.randn(16, 3, 2, 2)"
    assert assumed.source == "--model; inputs: --inputs"


def test_a_bad_comment_is_named_with_its_line(project: Project) -> None:
    target = project.file(
        """
        from torch import nn

        # stepscope: inputs=torch.randn(8, 5)
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(4, 4)

            def forward(self, x):
                return self.fc(x)
        """,
        "net.py",
    )
    failure = project.run(target).failed
    assert failure.kind is FailureKind.USAGE
    assert failure.message.startswith(
        "`inputs=torch.randn(8, 5)` (the comment on line 3 of net.py) raised RuntimeError: "
    )
    assert (failure.file, failure.line) == (str(target), 3)


ARGUMENTS = """
import argparse
from torch import nn

class Net(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.fc = nn.Linear(width, width)

    def forward(self, x):
        return self.fc(x)

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--weights", required=True)
    print(Net()(parser.parse_args().weights))
"""


def test_a_class_that_was_asked_for_needs_no_arguments(project: Project) -> None:
    target = project.file(ARGUMENTS, "net.py")
    outcome = project.run(target, symbol="Net")
    notes = outcome.reported.profile.notes
    assert outcome.reported.profile.run.model == "Net"
    assert any(note.startswith("The file itself could not be run to a step: ") for note in notes)


def test_the_file_itself_is_left_to_its_own_failure(project: Project) -> None:
    target = project.file(ARGUMENTS, "net.py")
    assert project.run(target).failed.kind is FailureKind.TARGET_FAILED
