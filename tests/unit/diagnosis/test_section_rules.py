"""Overhead, kernels, distribution and the processor: each rule fires, keeps silent, abstains."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from stepscope.attribution.model import StepTime
from stepscope.diagnosis.facts.host import IdleLine, PythonLine
from stepscope.diagnosis.facts.patterns import Patterns
from stepscope.diagnosis.finding import Severity
from tests.factories import TARGET, line, line_of, memory, run_info
from tests.unit.diagnosis.builders import FORWARD, LOOP, PRINT, breakdown, cpu, facts, gpu
from tests.unit.diagnosis.builders.distributed import distributed, ranks, reduction, replica
from tests.unit.diagnosis.builders.loaders import loader, loaders
from tests.unit.diagnosis.builders.overhead import (
    compiling,
    cpu_host,
    garbage,
    host,
    loops,
    models,
    optimizers,
)
from tests.unit.diagnosis.builders.patterns import (
    attention,
    biased,
    chain,
    clip,
    copies,
    factories,
    fallen_back,
    norm,
)
from tests.unit.diagnosis.cases import Case, findings

WARNING, INFORMATION, HINT = Severity.WARNING, Severity.INFORMATION, Severity.HINT
NOTHING = (facts(), facts(cpu()))

SETTINGS = """\
import torch
from torch import nn
torch.autograd.set_detect_anomaly(False)
torch.autograd.set_detect_anomaly(True)
torch.distributed.init_process_group("gloo")
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 16, 3)
        self.norm = nn.BatchNorm2d(16)
        self.other = nn.Conv2d(3, 16, 3)
        self.body = nn.Sequential(nn.Conv2d(3, 16, 3, bias=False), nn.BatchNorm2d(16))
    def forward(self, x):
        return self.other(self.norm(self.conv(x)))
net = Net()
net = nn.DataParallel(net)
net = DistributedDataParallel(net, find_unused_parameters=True)
"""
TEXT: dict[str, Any] = {"sources": {TARGET: SETTINGS}}


def at(text: str) -> int:
    return line_of(text, SETTINGS)


ANOMALY = Patterns(anomaly_ms=3.0, anomaly_checks=40.0)
HALF = Patterns(convolutions_ms=20.0, half_convolutions_ms=20.0, convolutions_line=(TARGET, LOOP))
DROPS = Patterns(dropout_ms=2.0, batch_norms_ms=1.0)

CASES = [
    Case(
        "host-bound", PRINT, WARNING,
        facts(host(kernels=50.0)),
        (
            facts(host()),  # many short kernels: launch-bound's
            facts(host(kernels=50.0, idle_ms=4.0)),
            facts(host(kernels=50.0, idle=(IdleLine((TARGET, PRINT), 1.4),))),
            facts(host(kernels=50.0), busy_ms=29.5),
        ),
        (*NOTHING, facts(cpu(), cpu_host())),
        (0.0, 6.0),
    ),
    Case(
        "launch-bound", FORWARD, WARNING,
        facts(host(), models()),
        (
            facts(host(kernels=199.0), models()),
            facts(host(median_kernel_us=21.0), models()),
            facts(host(idle_ms=4.0), models()),
            facts(host(), models(compiled=True)),
            facts(host(), models(), busy_ms=29.5),
        ),
        (*NOTHING, facts(host()), facts(cpu(), cpu_host(), models())),
        (0.0, 9.0),
    ),
    Case(
        "pointwise-chain", FORWARD, INFORMATION,
        facts(chain(5.0)),
        (facts(chain(2.9)), facts(chain(5.0), models(compiled=True))),
        NOTHING,
        (0.0, 4.0),
    ),
    Case(
        "optimizer-fused", PRINT, WARNING,
        facts(cpu(), optimizers()),
        (
            facts(cpu(), optimizers(step_ms=1.4, update_ms=0.5)),
            facts(cpu(), optimizers(implementation="fused")),
            facts(cpu(), optimizers(takes_fused=False)),
            facts(cpu(), optimizers(name="SGD")),
            facts(optimizers(), busy_ms=29.5),
        ),
        (*NOTHING, facts(cpu(), optimizers(construct=None))),
        (2.0, 5.8),
        also=(facts(cpu(), optimizers(implementation="foreach")),),
    ),
    Case(
        "optimizer-foreach", PRINT, WARNING,
        facts(cpu(), optimizers(name="RMSprop", takes_fused=False)),
        (
            facts(cpu(), optimizers()),  # optimizer-fused's
            facts(cpu(), optimizers(name="RMSprop", takes_fused=False, implementation="foreach")),
            facts(cpu(), optimizers(name="RMSprop", takes_fused=False, step_ms=1.7)),
            facts(cpu(), optimizers(name="RMSprop", takes_fused=False, parameters=7)),
            facts(cpu(), optimizers(name="Mine", takes_foreach=False, takes_fused=False)),
            facts(cpu(), optimizers(name="SGD")),
            facts(optimizers(name="RMSprop", takes_fused=False), busy_ms=29.5),
        ),
        (*NOTHING, facts(cpu(), optimizers(name="RMSprop", takes_fused=False, construct=None))),
        (0.0, 5.0),
    ),
    Case(
        "graph-break", PRINT, INFORMATION,
        facts(compiling()),
        (facts(compiling(), lines=()),),
        NOTHING,
    ),
    Case(
        "recompiles", FORWARD, INFORMATION,
        facts(compiling()),
        (facts(compiling(2)),),
        NOTHING,
        also=(facts(compiling(limit=None)),),
    ),
    Case(
        "unfused-attention", FORWARD, WARNING,
        facts(attention(6.0)),
        (facts(attention(0.8)),),
        NOTHING,
        (0.0, 6.0),
        also=(facts(cpu(), attention(6.0, own=False, shape="")),),
    ),
    Case(
        "attention-fallback", FORWARD, INFORMATION,
        facts(fallen_back(6.0)),
        (facts(fallen_back(0.8)), facts(cpu(), fallen_back(6.0))),
        NOTHING,
    ),
    Case(
        "unfused-norm", FORWARD, WARNING,
        facts(cpu(), norm(4.0)),
        (
            facts(cpu(), norm(0.8)),
            facts(cpu(), norm(4.0, "rms")),
            facts(norm(4.0), models(compiled=True)),
        ),
        NOTHING,
        (0.0, 3.75),
        also=(facts(norm(4.0, "rms")),),
    ),
    Case(
        "tensor-loop", LOOP, WARNING,
        facts(cpu(), loops(indexes=32.0, by_variable=True)),
        (
            facts(cpu(), loops(indexes=32.0)),
            facts(cpu(), loops(indexes=20.0, by_variable=True)),
            facts(cpu(), loops(indexes=32.0, by_variable=True, passes=15.0)),
            facts(cpu(), loops(indexes=32.0, by_variable=True, cost_ms=1.4)),
            facts(cpu(), loops(indexes=32.0, by_variable=True, carries=True)),
            facts(loops(indexes=32.0, by_variable=True), busy_ms=29.5),
        ),
        NOTHING,
        (0.0, 5.8125),
    ),
    Case(
        "small-matmul-loop", LOOP, WARNING,
        facts(cpu(), loops(products=32.0, small_products=32.0)),
        (
            facts(cpu(), loops(products=7.0, small_products=7.0)),
            facts(cpu(), loops(products=32.0, small_products=20.0)),
            facts(cpu(), loops(products=32.0, small_products=32.0, carries=True)),
            facts(cpu(), loops(products=32.0, small_products=32.0, cells=16.0)),
            facts(cpu(), loops(products=32.0, small_products=32.0, cost_ms=1.4)),
        ),
        (*NOTHING, facts(cpu(), loops(products=32.0))),
        (0.0, 5.8125),
    ),
    Case(
        "rnn-cell-loop", LOOP, WARNING,
        facts(cpu(), loops(cells=32.0, products=64.0, products_ms=2.0, carries=True)),
        (facts(cpu(), loops(cells=7.0)), facts(cpu(), loops(cells=32.0, cost_ms=2.9))),
        NOTHING,
        (0.0, 4.0),
    ),
    Case(
        "constants-in-forward", FORWARD, INFORMATION,
        facts(cpu(), factories(1.5)),
        (facts(cpu(), factories(0.8)),),
        NOTHING,
        (0.0, 1.5),
    ),
    Case(
        "anomaly-mode", at("anomaly(True)"), WARNING,
        facts(cpu(), ANOMALY, lines=(line(FORWARD, 9.0),), **TEXT),
        (facts(cpu(), Patterns(), **TEXT),),
        (*NOTHING, facts(cpu(), ANOMALY)),
        (3.0, 6.0),
    ),
    Case(
        "gc-pauses", FORWARD, WARNING,
        facts(cpu(), garbage(), cpu_host()),
        (
            facts(cpu(), garbage(full=1), cpu_host()),
            facts(cpu(), garbage(full_ms=1.4), cpu_host()),
            facts(garbage(), host(), busy_ms=29.5),
        ),
        (*NOTHING, facts(cpu(), garbage())),
        (0.0, 3.0),
    ),
    Case(
        "clip-grad-loop", FORWARD, INFORMATION,
        facts(cpu(), clip(20.0), busy_ms=2.0),
        (
            facts(cpu(), clip(7.0), busy_ms=2.0),
            facts(cpu(), clip(20.0, 0.5), busy_ms=0.8),
            facts(clip(20.0), busy_ms=29.5),
        ),
        NOTHING,
        (0.0, 1.9),
    ),
    Case(
        "channels-last", at("net = Net()"), INFORMATION,
        facts(HALF, models(convolutions=3), **TEXT),
        (
            facts(HALF, models(convolutions=3, channels_last=3), **TEXT),
            facts(Patterns(convolutions_ms=20.0), models(convolutions=3), **TEXT),
            facts(cpu(), HALF, models(convolutions=3), **TEXT),
        ),
        (*NOTHING, facts(HALF, models(convolutions=3), run=run_info(model=""), **TEXT)),
        (0.0, 20.0 * (1 - 1 / 1.35)),
    ),
    Case(
        "cudnn-benchmark", LOOP, HINT,
        facts(HALF, models()),
        (
            facts(HALF, models(cudnn_benchmark=True)),
            facts(HALF, models(cudnn_deterministic=True)),
            facts(Patterns(convolutions_ms=8.9, convolutions_line=(TARGET, LOOP)), models()),
            facts(cpu(), HALF, models()),
        ),
        (*NOTHING, facts(Patterns(convolutions_ms=20.0), models())),
    ),
    Case(
        "conv-bias", at("self.conv = "), HINT,
        facts(cpu(), biased(at("return self.other")), **TEXT),
        (
            facts(cpu(), biased(at("return self.other"), 0.8), **TEXT),
            facts(biased(at("return self.other"), 6.0, 0.8), **TEXT),
            facts(cpu(), Patterns(), **TEXT),
        ),
        (*NOTHING, facts(cpu(), biased(at("net = Net()")), **TEXT)),
    ),
    Case(
        "hidden-copies", FORWARD, WARNING,
        facts(cpu(), copies(3.0)),
        (facts(cpu(), copies(0.8)), facts(cpu(), copies(3.0, "aten::einsum"))),
        NOTHING,
        (0.0, 3.0),
    ),
    Case(
        "einsum-copies", FORWARD, WARNING,
        facts(cpu(), copies(3.0, "aten::einsum")),
        (facts(cpu(), copies(0.8, "aten::einsum")), facts(cpu(), copies(3.0))),
        NOTHING,
        (0.0, 3.0),
    ),
    Case(
        "train-mode-inference", FORWARD, WARNING,
        facts(
            cpu(), DROPS, models(trains=False, training_dropouts=2, training_norms=1), cpu_host()
        ),
        (
            facts(cpu(), DROPS, models(training_dropouts=2), cpu_host()),
            facts(cpu(), DROPS, models(trains=False), cpu_host()),
            facts(cpu(), Patterns(), models(trains=False, training_dropouts=2), cpu_host()),
        ),
        (*NOTHING, facts(cpu(), DROPS, models(trains=False, training_dropouts=2))),
        (0.0, 3.0),
    ),
    Case(
        "data-parallel", at("nn.DataParallel"), INFORMATION,
        facts(models(data_parallel=(4,)), **TEXT),
        (facts(models(data_parallel=(1,)), **TEXT), facts(models(), **TEXT)),
        (*NOTHING, facts(models(data_parallel=(4,)))),
    ),
    Case(
        "gloo-on-gpu", at("init_process_group"), INFORMATION,
        facts(distributed(backend="gloo"), **TEXT),
        (
            facts(distributed(), **TEXT),
            facts(distributed(backend="gloo", size=1), **TEXT),
            facts(cpu(), distributed(backend="gloo"), **TEXT),
        ),
        (*NOTHING, facts(distributed(backend="gloo"))),
    ),
    Case(
        "exposed-communication", FORWARD, WARNING,
        facts(distributed(exposed_ms=4.0)),
        (facts(distributed(exposed_ms=2.9)),),
        (
            *NOTHING,
            facts(distributed(exposed_ms=None)),
            facts(distributed(exposed_ms=4.0, exposed_line=None)),
        ),
        (0.0, 4.0),
    ),
    Case(
        "accumulation-sync", FORWARD, WARNING,
        facts(host(), distributed(forwards=4.0, reductions=8.0, exposed_ms=4.0)),
        (
            facts(host(), distributed()),
            facts(host(), distributed(forwards=4.0, reductions=2.0, exposed_ms=4.0)),
        ),
        (
            *NOTHING,
            facts(host(), distributed(forwards=4.0, replicas=(replica(buckets=None),))),
            facts(host(), distributed(forwards=4.0, replicas=())),
            facts(distributed(forwards=4.0, reductions=8.0, exposed_ms=4.0), lines=()),
        ),
        (0.0, 3.0),
    ),
    Case(
        "unused-parameters", at("find_unused"), INFORMATION,
        facts(
            distributed(search_ms=4.0, replicas=(replica(find_unused_parameters=True),)), **TEXT
        ),
        (
            facts(distributed(search_ms=4.0), **TEXT),
            facts(
                distributed(search_ms=0.8, replicas=(replica(find_unused_parameters=True),)),
                **TEXT,
            ),
            facts(
                distributed(
                    search_ms=4.0,
                    replicas=(replica(find_unused_parameters=True, unused_bytes=8),),
                ),
                **TEXT,
            ),
        ),
        (
            *NOTHING,
            facts(distributed(search_ms=4.0, replicas=(replica(find_unused_parameters=True),))),
            facts(
                distributed(
                    search_ms=4.0,
                    replicas=(replica(find_unused_parameters=True, unused_bytes=None),),
                ),
                **TEXT,
            ),
        ),
        (0.0, 4.0),
    ),
    Case(
        "bucket-view", at("DistributedDataParallel"), INFORMATION,
        facts(
            distributed(copies_ms=4.0, replicas=(replica(gradient_as_bucket_view=False),)), **TEXT
        ),
        (
            facts(distributed(copies_ms=4.0), **TEXT),
            facts(distributed(replicas=(replica(gradient_as_bucket_view=False),)), **TEXT),
        ),
        (
            *NOTHING,
            facts(distributed(copies_ms=4.0, replicas=(replica(gradient_as_bucket_view=False),))),
        ),
        (0.0, 4.0),
    ),
    Case(
        "stragglers", PRINT, WARNING,
        facts(ranks(20.0, 20.0, 24.0)),
        (facts(ranks(20.0, 20.0, 21.9)),),
        (*NOTHING, facts(ranks(20.0)), facts(ranks(20.0, 20.0, 24.0, line=None))),
        (0.0, 4.0),
    ),
    Case(
        "metric-reduce", PRINT, WARNING,
        facts(distributed(own=(reduction(),))),
        (
            facts(distributed(own=(reduction(0.4),))),
            facts(distributed(own=(reduction(1.0, 0.8),))),
        ),
        NOTHING,
        (0.0, 3.0),
    ),
    Case(
        "thread-count", FORWARD, INFORMATION,
        facts(cpu(threads=8), models(), cpu_host()),
        (
            facts(cpu(), models(), cpu_host()),
            facts(gpu(threads=64), models(), host()),
            facts(cpu(threads=1, cores=8), models(threads_asked_for=True), cpu_host(),
                  breakdown=breakdown(compute=0.5)),
            facts(cpu(threads=1, cores=8), models(), cpu_host(), breakdown=breakdown(compute=0.2)),
            facts(cpu(threads=1, cores=8), models(), cpu_host(), loaders(loader(num_workers=4)),
                  breakdown=breakdown(compute=0.5)),
        ),
        (
            *NOTHING,
            facts(cpu(threads=8), models()),
            facts(cpu(threads=None), models(), cpu_host()),
        ),
        also=(
            facts(cpu(threads=1, cores=8), models(), cpu_host(), breakdown=breakdown(compute=0.5)),
        ),
    ),
    Case(
        "model-on-cpu", FORWARD, INFORMATION,
        facts(cpu(), models(device_bytes={"cpu": 1000}), cpu_host()),
        (
            facts(models(), host()),
            facts(cpu(), models(device_bytes={"cpu": 1000}, accelerator_there=False), cpu_host()),
            facts(cpu(), models(device_bytes={"cpu": 10, "cuda:0": 1000}), cpu_host()),
        ),
        (*NOTHING, facts(cpu(), models(device_bytes={"cpu": 1000}))),
    ),
    Case(
        "slow-python", LOOP, WARNING,
        facts(cpu(), cpu_host(python=(PythonLine((TARGET, LOOP), 5.0, 0.0),))),
        (
            facts(cpu(), cpu_host(python=(PythonLine((TARGET, LOOP), 2.9, 0.0),))),
            facts(cpu(), cpu_host(python=(PythonLine((TARGET, LOOP), 6.0, 1.0),))),
            facts(cpu(), cpu_host()),  # the line that reads a value
            facts(host(python=(PythonLine((TARGET, LOOP), 6.0, 0.0),))),  # idle for 2 ms only
        ),
        NOTHING,
        (0.0, 5.0),
    ),
]  # fmt: skip
BY_NAME = [pytest.param(case, id=case.rule) for case in CASES]


@pytest.mark.parametrize("case", BY_NAME)
def test_it_speaks_of_its_line(case: Case) -> None:
    (found,) = findings(case.rule, case.fires)
    assert (found.file, found.line, found.severity) == (TARGET, case.line, case.severity)
    assert found.gain_ms == (None if case.gain is None else pytest.approx(case.gain))
    assert bool(found.gain_source) is (case.gain is not None)
    assert found.end_line >= found.line
    for other in case.also:
        assert [one.line for one in findings(case.rule, other)] == [case.line]


@pytest.mark.parametrize("case", BY_NAME)
def test_it_is_silent_of_a_near_miss(case: Case) -> None:
    assert case.silent
    for near in case.silent:
        assert findings(case.rule, near) == ()


@pytest.mark.parametrize("case", BY_NAME)
def test_it_abstains_where_its_evidence_is_missing(
    case: Case, caplog: pytest.LogCaptureFixture
) -> None:
    for missing in case.abstains:
        caplog.clear()
        with caplog.at_level(logging.DEBUG):
            assert findings(case.rule, missing) == ()
        assert f"{case.rule} abstains" in caplog.text


@pytest.mark.parametrize("case", BY_NAME)
def test_it_promises_no_more_than_the_step(case: Case) -> None:
    (found,) = findings(case.rule, case.fires)
    if found.gain_ms is not None:
        low, high = found.gain_ms
        assert 0 <= low <= high <= case.fires.profile.step_ms.median


def test_gradients_that_hold_memory_are_worth_a_word_without_a_gain() -> None:
    held = distributed(replicas=(replica(gradient_as_bucket_view=False, gradient_bytes=50_000),))
    (found,) = findings("bucket-view", facts(held, memory=memory(1_000_000), **TEXT))
    assert found.gain_ms is None
    assert found.evidence["gradient_bytes"] == 50_000


def test_a_bias_that_is_an_operator_of_its_own_is_measured() -> None:
    (found,) = findings("conv-bias", facts(biased(at("return self.other"), 6.0, 1.2), **TEXT))
    assert found.gain_ms == (0.0, 1.2)
    assert found.severity is Severity.INFORMATION


def test_a_step_without_time_gives_nothing() -> None:
    stopped = facts(cpu(), optimizers(), step_ms=StepTime(0.0, 0.0, 0.0))
    assert findings("optimizer-fused", stopped) == ()
