"""The samples' own marks: each names a rule, and its line has something to act on."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from stepscope.diagnosis.engine import discover_rules
from stepscope.fixes import apply_edits, fix_for
from stepscope.fixes.model import Fix
from tests.factories import line_of
from tests.unit.fixes.check import finding

SAMPLES = Path(__file__).parents[3] / "samples"
EXPECTED = re.compile(r"# (expect|expect-cuda): (\S+)$")
EVIDENCE = {"workers": 2, "device": "cpu", "kind": "item"}

MARKS = [
    pytest.param(path, number, found.group(2), id=f"{path.name}:{number}")
    for path in sorted(SAMPLES.rglob("*.py"))
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    if (found := EXPECTED.search(line))
]


def fix_at(path: Path, rule: str, line: int) -> Fix | None:
    return fix_for(finding(rule, line, **EVIDENCE), path.read_text(encoding="utf-8"), line)


@pytest.mark.parametrize(("path", "line", "rule"), MARKS)
def test_a_marked_line_has_an_edit_or_advice(path: Path, line: int, rule: str) -> None:
    assert rule in {known.name for known in discover_rules()}
    fix = fix_at(path, rule, line)
    assert fix is not None
    ast.parse(apply_edits(path.read_text(encoding="utf-8"), fix.edits))


@pytest.mark.parametrize(
    ("name", "text", "wrapped"),
    [
        ("char_gpt.py", "_, loss = model(x, y)", ["_, loss = model(x, y)"]),
        (
            "image_classifier.py",
            "outputs = model(images)",
            [
                "outputs = model(images)",
                "loss = F.cross_entropy(outputs, labels, label_smoothing=0.1)",
            ],
        ),
        ("inference.py", "scores = model(ids)", ["scores = model(ids)"]),
        ("vit/train.py", "losses.append(self.train_step(images, labels))", None),
        (
            "vit/train.py",
            "logits = self.model(images.to(self.device))",
            [
                "logits = self.model(images.to(self.device))",
                "loss = F.cross_entropy(logits, labels.to(self.device))",
            ],
        ),
        (
            "autoencoder.py",
            "reconstruction, mean, log_variance = model(x)",
            [
                "reconstruction, mean, log_variance = model(x)",
                "loss = elbo(x, reconstruction, mean, log_variance, args.beta) / args.accumulate",
            ],
        ),
    ],
)
def test_autocast_wraps_forward_and_loss_but_no_backward_pass(
    name: str, text: str, wrapped: list[str] | None
) -> None:
    path = SAMPLES / name
    source = path.read_text(encoding="utf-8")
    fix = fix_at(path, "autocast", line_of(text, source))
    assert fix is not None
    if wrapped is None:
        assert fix.edits == ()
        return
    tree = ast.parse(apply_edits(source, fix.edits))
    (block,) = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.With) and "autocast" in ast.unparse(node.items[0])
    ]
    assert [ast.unparse(statement) for statement in block.body] == [
        ast.unparse(ast.parse(statement)) for statement in wrapped
    ]
