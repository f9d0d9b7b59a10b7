"""Programs with nothing left to do: not one warning, and two hints at most, all together."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepscope.diagnosis.finding import Severity
from tests.agent.forked import ROOT, Recorded, Small, record

pytestmark = pytest.mark.agent

PROGRAMS = Path(__file__).parent / "programs"
SAMPLES = ROOT / "samples"
VARIANTS = {
    "perceptron.py": ("plain", "norm", "dropout", "momentum", "clipped"),
    "convolutions.py": ("batch", "group", "channels-last"),
    "attention.py": ("causal", "full", "multihead"),
    "sequences.py": ("gru", "lstm", "convolution"),
    "scoring.py": ("perceptron", "convolution", "encoder"),
    "generative.py": ("adversarial", "autoencoder", "accumulated", "averaged"),
    "loading.py": ("batches", "embeddings"),
}
TUNED = [
    *(Small(PROGRAMS / name, (word,)) for name, words in VARIANTS.items() for word in words),
    Small(SAMPLES / "char_gpt.py"),
    Small(SAMPLES / "autoencoder.py"),
    Small(SAMPLES / "gan.py"),
    Small(SAMPLES / "tabular.py"),
    Small(SAMPLES / "vit" / "train.py"),
]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> list[Recorded]:
    return record(TUNED, tmp_path_factory.mktemp("captures"))


def test_there_are_enough_of_them() -> None:
    assert len(TUNED) >= 25


def test_none_gets_a_warning(recorded: list[Recorded]) -> None:
    warned = [
        f"{one.program.name}:{finding.line} {finding.rule}: {finding.message}"
        for one in recorded
        for finding in one.findings
        if finding.severity is Severity.WARNING
    ]
    assert warned == []


def test_there_are_two_hints_at_most_in_all(recorded: list[Recorded]) -> None:
    said = [
        f"{one.program.name}:{finding.line} {finding.rule}: {finding.message}"
        for one in recorded
        for finding in one.findings
    ]
    assert len(said) <= 2, said
