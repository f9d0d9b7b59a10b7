"""Constructed runs on a GPU, from the recording to the hint on its line."""

from __future__ import annotations

from typing import Any

import pytest

from stepscope.attribution.attribute import attribute
from stepscope.diagnosis.engine import diagnose
from stepscope.diagnosis.prepare import prepare_facts
from tests.timelines import FILE, Tape

MS = 1_000_000
STEP = 10 * MS
SOURCE = """\
for x in data:
    out = net(x)
    loss = criterion(out)
    loss.backward()
    opt.step()
opt = Adam(net.parameters())
"""
SCALED = """\
for x in data:
    with autocast("cuda"):
        loss = net(x)
    scaler.step(opt)
    opt.step()
"""
PEAKS = {"float32": 1e12, "bfloat16": 8e12, "bandwidth": 1e11, "launch_ns": 1000.0}
SINGLE = "[[1024, 1024], [1024, 1024]]|float,float"
HALF = "[[1024, 1024], [1024, 1024]]|c10::Half,c10::Half"
ODD = "[[1024, 1024], [1024, 1001]]|c10::Half,c10::Half"
CAST = "[[1024, 1024], [1024, 1024]]|c10::BFloat16,float"
SCORES = "[[64, 5000]]|float"


class Run:
    """Passes of 10 ms over lines 2 to 5, in which the GPU is busy from 1 to 9 ms unless told."""

    def __init__(self, work: str, inputs: str, line: int = 2, **facts: Any) -> None:
        memory = facts.pop("memory", {})
        precision = {"tensor_cores": True, "scalers": facts.pop("scalers", 0)}
        allocator = facts.pop("allocator", {"peak": 4000, "reserved": 5000, "now": 0})
        busy = facts.pop("busy", 8)
        values: dict[str, Any] = {
            "device": "cuda:0",
            "source": SOURCE,
            "loop": {"file": FILE, "line": 1, "end_line": 5, "mark": [2, 2]},
            "schemas": dict.fromkeys((work, "aten::mm"), "new"),
            "peaks": PEAKS,
            "clean_ns": [STEP],
            "evidence": {
                "precision": precision,
                "memory": {"device_bytes": 10_000, "optimizers": []} | memory,
            },
        }
        self.mapped = self._tape(3, 0, "map", values | facts)
        detail = self._tape(2, 100 * MS, "detail", {})
        self.mapped.also(detail)
        detail.resident(110 * MS)
        detail.window_facts["allocator"] = allocator
        start = (line - 2) * 2 * MS
        for number in range(4):
            at = number * STEP
            begin = at + start + MS // 2
            op = self.mapped.op(work, begin, begin + MS // 4)
            self.mapped.launched(op, (begin + 1, begin + 2), (at + 1 * MS, at + 1 * MS + busy * MS))
        detail.op(work, 110 * MS + start + MS // 2, 110 * MS + start + MS, inputs=inputs)
        detail.allocate(110 * MS + start + MS // 2 + 1, 5, 3000, device=0)
        self.detail = detail

    def _tape(self, steps: int, begin: int, kind: str, facts: dict[str, Any]) -> Tape:
        ticks = [begin + STEP * number + 9 * MS for number in range(steps + 1)]
        made = Tape(*ticks, kind=kind, **facts)
        for number in range(steps + 2):
            at = begin + number * STEP
            for line, after in ((1, 0), (2, 1), (3, 2 * MS), (4, 4 * MS), (5, 6 * MS)):
                made.line(at + after, line)
        return made

    def found(self) -> set[tuple[str, int]]:
        facts = prepare_facts(attribute(self.mapped.timeline()))
        assert facts.failed == ()
        return {(finding.rule, finding.line) for finding in diagnose(facts).findings}


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (Run("aten::mm", SINGLE), ("tf32", 2)),
        (Run("aten::mm", ODD), ("unaligned-products", 2)),
        (Run("aten::copy_", CAST, line=3, busy=3), ("cast-churn", 3)),
        (
            Run("aten::mm", SINGLE, allocator={"peak": 9500, "reserved": 9600, "now": 0}),
            ("memory-limit", 2),
        ),
        (
            Run(
                "aten::_log_softmax",
                SCORES,
                line=3,
                memory={"device_bytes": 4_000_000},
                allocator={"peak": 3_500_000, "reserved": 3_600_000, "now": 0},
            ),
            ("float32-logits", 3),
        ),
        (
            Run(
                "aten::mm",
                HALF,
                allocator={"peak": 9000, "reserved": 9100, "now": 0},
                memory={
                    "optimizers": [
                        {
                            "class": "Adam", "foreach": False, "fused": False, "can_fuse": True,
                            "parameter_bytes": 2500, "state_bytes": 5000,
                        }
                    ]
                },
            ),
            ("optimizer-state", 6),
        ),
        (
            Run(
                "aten::mm",
                HALF,
                source="import torch\n" + SOURCE,
                loop=None,
                allocator={"peak": 3000, "reserved": 8000, "now": 0},
            ),
            ("fragmentation", 1),
        ),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)  # fmt: skip
def test_the_hint_stands_on_its_line(run: Run, expected: tuple[str, int]) -> None:
    assert expected in run.found()


def test_a_scaler_that_the_host_waits_in() -> None:
    run = Run("aten::mm", HALF, source=SCALED, scalers=1)
    for number in range(4):
        at = number * STEP + 4 * MS
        run.mapped.runtime("cudaStreamSynchronize", at + MS // 2, at + MS)
    assert ("fp16-scaler", 2) in run.found()


@pytest.mark.parametrize(
    "run",
    [
        Run("aten::mm", SINGLE, tf32=True),
        Run("aten::mm", HALF),
        Run("aten::copy_", "[[64, 64], [64, 64]]|float,float"),
        Run("aten::mm", HALF, scalers=1),
    ],
)
def test_a_run_that_is_as_it_should_be_gets_none_of_them(run: Run) -> None:
    assert not {rule for rule, _ in run.found()} & {
        "tf32", "unaligned-products", "cast-churn", "memory-limit", "float32-logits",
        "optimizer-state", "fragmentation", "fp16-scaler", "float64", "held-tensors",
    }  # fmt: skip


def test_a_run_that_told_nothing_of_itself_makes_the_rules_abstain() -> None:
    run = Run("aten::mm", SINGLE, evidence={})
    assert not {rule for rule, _ in run.found()} & {"tf32", "unaligned-products", "memory-limit"}
