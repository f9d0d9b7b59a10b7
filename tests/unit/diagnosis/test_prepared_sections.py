"""From events to findings: what the rules on overhead, kernels and distribution are given.

The steps are constructed: each lasts 10 ms, and the numbers can be added up by hand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from stepscope.attribution.attribute import attribute
from stepscope.diagnosis.engine import diagnose
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.distributed import Distributed
from stepscope.diagnosis.facts.host import Host
from stepscope.diagnosis.facts.optimizers import Optimizers
from stepscope.diagnosis.facts.patterns import Patterns
from stepscope.diagnosis.prepare import prepare_facts
from tests.timelines import FILE, Tape

MS, US = 1_000_000, 1_000
STEP = 10 * MS
SOURCE = """\
from torch import nn
class Net(nn.Module):
    def __init__(self):
        self.conv = nn.Conv2d(3, 16, 3)
        self.norm = nn.BatchNorm2d(16)
    def forward(self, x):
        return self.norm(self.conv(x))
net = Net()
opt = AdamW(net.parameters())
for x in data:
    y = net(x)
    y.sum().backward()
    opt.step()
"""
LOOP, FORWARD, BACKWARD = 10, 11, 12
MODELS = {
    "training_dropouts": 0, "training_norms": 0, "convolutions": 0, "channels_last": 0,
    "data_parallel": [], "device_bytes": {"cuda:0": 8}, "compiled": False,
    "cudnn_benchmark": True, "cudnn_deterministic": False, "accelerator_there": True,
    "threads_asked_for": False,
}  # fmt: skip
NCCL = {
    "backend": "nccl",
    "size": 2,
    "models": [
        {
            "find_unused_parameters": False, "static_graph": False,
            "gradient_as_bucket_view": True, "gradient_bytes": 8, "unused_bytes": 0, "buckets": 1,
        }
    ],
}  # fmt: skip


def tape(device: str = "cuda:0", kind: str = "map", **evidence: Any) -> Tape:
    """Two steps of the source's loop; the forward pass takes the first half of each."""
    made = Tape(
        0, STEP, 2 * STEP, 3 * STEP, device=device, kind=kind, source=SOURCE,
        evidence={"models": MODELS} | evidence,
        loop={"file": FILE, "line": LOOP, "end_line": 13, "mark": [FORWARD, FORWARD]},
    )  # fmt: skip
    for start in range(0, 4 * STEP, STEP):
        made.line(start, LOOP)
        made.line(start + 100, FORWARD)
        made.line(start + STEP // 2, BACKWARD)
    return made


def each_step(made: Tape, fill: Callable[[Tape, int], None]) -> Facts:
    for start in range(0, 3 * STEP, STEP):
        fill(made, start)
    return prepare_facts(attribute(made.timeline()))


def measured(facts: Facts, family: type[Any]) -> Any:
    found = facts.measured(family)
    assert found is not None
    assert facts.failed == ()
    return found


def rules(facts: Facts) -> set[tuple[str, int]]:
    return {(finding.rule, finding.line) for finding in diagnose(facts).findings}


def short_kernels(made: Tape, start: int) -> None:
    for number in range(300):
        at = start + 1000 + number * 30 * US
        op = made.op("aten::add", at, at + 20 * US)
        made.launched(op, (at, at + 10 * US), (at + 15 * US, at + 20 * US))


def busy(made: Tape, start: int) -> None:
    """Ten kernels, one after the other, launched long before they run."""
    for number in range(10):
        at = start + 1000 + number * 50 * US
        op = made.op("aten::mm", at, at + 20 * US)
        begin = start + 1000 + number * (STEP // 10 - 100)
        made.launched(op, (at, at + 10 * US), (begin, begin + STEP // 10 - 200))


def test_many_short_kernels_are_counted_and_spoken_of() -> None:
    facts = each_step(tape(), short_kernels)
    host = measured(facts, Host)
    assert host.kernels == pytest.approx(300, rel=0.01)
    assert host.median_kernel_us == 5.0
    assert host.idle_ms == pytest.approx(10 - 300 * 0.005, rel=0.02)
    assert host.forward_line == (FILE, FORWARD)
    assert rules(facts) == {("launch-bound", FORWARD)}


def test_python_that_keeps_the_gpu_waiting_is_spoken_of_on_its_line() -> None:
    def fill(made: Tape, start: int) -> None:
        at = start + 1000
        op = made.op("aten::mm", at, at + 20 * US)
        made.launched(op, (at, at + 10 * US), (start + 1000, start + 5 * MS))

    found = rules(each_step(tape(), fill))
    assert ("host-bound", BACKWARD) in found
    assert not {rule for rule, _ in found} & {"launch-bound"}


def graph_launch(made: Tape, start: int) -> None:
    """A CUDA graph: many short kernels behind one call, without a gap."""
    op = made.op("graph", start + 1000, start + 20 * US)
    for number in range(400):
        begin = start + 1000 + number * 24_900
        made.launched(op, (start + 1000, start + 9 * US), (begin, begin + 24_800))


def hidden_communication(made: Tape, start: int) -> None:
    busy(made, start)
    op = made.op("c10d::allreduce_", start + 6 * MS, start + 6 * MS + US)
    call = (start + 6 * MS, start + 6 * MS + 500)
    made.launched(op, call, (start + 6 * MS, start + 8 * MS), name="ncclKernel", stream=9)


@pytest.mark.parametrize(
    ("fill", "evidence"),
    [(busy, {}), (graph_launch, {}), (hidden_communication, {"distributed": NCCL})],
)
def test_a_gpu_that_is_busy_for_the_whole_step_hears_nothing(
    fill: Callable[[Tape, int], None], evidence: dict[str, Any]
) -> None:
    assert rules(each_step(tape(**evidence), fill)) == set()


def test_communication_that_nothing_hides_is_measured() -> None:
    def fill(made: Tape, start: int) -> None:
        op = made.op("aten::mm", start + 1000, start + 2000)
        made.launched(op, (start + 1000, start + 1500), (start + 1000, start + 6 * MS))
        send = made.op("c10d::allreduce_", start + 2 * MS, start + 2 * MS + US)
        call = (start + 2 * MS, start + 2 * MS + 500)
        made.launched(send, call, (start + 5 * MS, start + 9 * MS), name="ncclKernel", stream=9)

    facts = each_step(tape(distributed=NCCL), fill)
    assert measured(facts, Distributed).exposed_ms == pytest.approx(3.0, rel=0.01)
    assert ("exposed-communication", FORWARD) in rules(facts)


def test_copies_below_a_product_are_found_and_casts_are_not() -> None:
    def fill(made: Tape, start: int) -> None:
        made.op("aten::matmul", start + 1000, start + 4 * MS)
        made.op("aten::clone", start + 2000, start + 2 * MS)
        made.op("aten::copy_", start + 3000, start + 2 * MS - 1000)
        made.op("aten::_to_copy", start + 2 * MS + 1000, start + 3 * MS)
        made.op("aten::copy_", start + 2 * MS + 2000, start + 3 * MS - 1000)

    facts = each_step(tape("cpu"), fill)
    (copies,) = measured(facts, Patterns).copies
    assert (copies.line, copies.operator, copies.per_step) == ((FILE, FORWARD), "aten::matmul", 1)
    assert copies.ms == pytest.approx(2.0, rel=0.01)
    assert ("hidden-copies", FORWARD) in rules(facts)


@pytest.mark.parametrize(("last", "found"), [("aten::matmul", True), ("aten::sum", False)])
def test_attention_is_a_softmax_between_two_products(last: str, found: bool) -> None:
    def fill(made: Tape, start: int) -> None:
        names = ("aten::matmul", "aten::div", "aten::masked_fill", "aten::softmax", last)
        for number, name in enumerate(names):
            at = start + 1000 + number * 500 * US
            made.op(name, at, at + 400 * US)

    facts = each_step(tape("cpu"), fill)
    seen = measured(facts, Patterns).attention
    assert bool(seen) is found
    if found:
        assert seen[0].between_ms == pytest.approx(1.2, rel=0.01)
        assert seen[0].products_ms == pytest.approx(0.8, rel=0.01)
        assert not seen[0].own  # the line shows no softmax


@pytest.mark.parametrize(
    ("bias", "following", "found"),
    [("[16]", "aten::batch_norm", True), ("[]", "aten::batch_norm", False),
     ("[16]", "aten::relu", False)],
)  # fmt: skip
def test_a_bias_before_a_batch_norm_is_found_in_shapes(
    bias: str, following: str, found: bool
) -> None:
    made = tape("cpu")
    detail = tape("cpu", "detail")
    detail.resident(0)
    made.also(detail)

    def fill(one: Tape, start: int) -> None:
        dtype = "float" if bias != "[]" else ""
        given = f"[[8, 3, 9, 9], [16, 3, 3, 3], {bias}]|float,float,{dtype}"
        one.op("aten::conv2d", start + 1000, start + 3 * MS, inputs=given)
        one.op("aten::add_", start + 3 * MS + 100, start + 3 * MS + 200, inputs="[[]]|long int")
        normed = "[[8, 16, 7, 7], [16]]|float,float"
        one.op(following, start + 3 * MS + 1000, start + 4 * MS, inputs=normed)

    for start in range(0, 3 * STEP, STEP):
        fill(detail, start)
    facts = each_step(made, fill)
    seen = measured(facts, Patterns).biased
    assert [(one.line, one.channels, one.bias_ms) for one in seen] == (
        [((FILE, FORWARD), 16, None)] if found else []
    )


def test_checks_of_anomaly_mode_are_below_nodes() -> None:
    def fill(made: Tape, start: int) -> None:
        at = start + 6 * MS
        made.op("autograd::engine::evaluate_function: MulBackward0", at, at + MS, sequence=1)
        made.op("aten::isnan", at + 1000, at + MS // 2)
        made.op("aten::isnan", start + 1000, start + MS)  # the user's own

    facts = each_step(tape("cpu"), fill)
    patterns = measured(facts, Patterns)
    assert patterns.anomaly_checks == 1
    assert patterns.anomaly_ms == pytest.approx(0.5, rel=0.01)


@pytest.mark.parametrize(
    ("operator", "implementation"),
    [("aten::add_", "single tensor"), ("aten::_foreach_add_", "foreach"),
     ("aten::_fused_adamw_", "fused")],
)  # fmt: skip
def test_an_optimizers_time_is_that_of_its_mark(operator: str, implementation: str) -> None:
    told = {
        "name": "AdamW", "of_torch": True, "construct": [FILE, 9], "foreach": None, "fused": None,
        "takes_foreach": True, "takes_fused": True, "differentiable": False, "parameters": 10,
        "floating": True, "dense": True, "devices": ["cpu"],
    }  # fmt: skip

    def fill(made: Tape, start: int) -> None:
        at = start + 6 * MS
        made._row("annotation", "Optimizer.step#AdamW.step", at, at + 2 * MS, 1, 100)
        made.op(operator, at + 1000, at + MS)

    facts = each_step(tape("cpu", optimizers=[told, dict(told, parameters=30)]), fill)
    few, many = measured(facts, Optimizers).all
    assert few.implementation == implementation
    assert few.step_ms == pytest.approx(0.5, rel=0.01)  # a quarter of the parameters
    assert many.step_ms == pytest.approx(1.5, rel=0.01)
    assert few.update_ms == pytest.approx(0.25, rel=0.01)
    fires = ("optimizer-fused", 9) in rules(facts)
    assert fires is (implementation != "fused")
