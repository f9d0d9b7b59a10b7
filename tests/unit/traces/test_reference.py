"""Recorded GPU traces against what others measured on them, and against plain counts.

The figures are those of TensorBoard's plug-in (TB, 0.4.3), of HolisticTraceAnalysis (HTA, 0.5.0)
and of a count of our own with nothing but ``json``.
"""

from __future__ import annotations

import json
from decimal import Decimal
from itertools import groupby
from operator import itemgetter

import pytest

from stepscope.attribution.check import self_check
from stepscope.opening import open_recordings
from stepscope.operator_names import describe_operator
from stepscope.report.schema import load_schema
from stepscope.report.to_json import report_to_text
from tests.unit.traces.recordings import NAMES, attributed, path_of, plain_events, report

jsonschema = pytest.importorskip("jsonschema")

KERNELS = ("kernel", "Kernel")
DEVICE = (*KERNELS, "gpu_memcpy", "Memcpy", "gpu_memset", "Memset")

# Union of all device events over the whole file, us.
BUSY_US = {
    "v100_resnet50_dataloader_nw0": 603_558,
    "v100_resnet_training": 472_463,
    "a100_ddp_nccl": 157_500,
    "a100_recsys_rank0": 547_656,
    "a100_recsys_rank1": 580_050,
    "a100_alexnet_inference": 66_141,
    "h100_bert_small_inference": 309,
    "b200_eager_inference": 11_597,
    "mi300_resnet_ddp_checkpointing": 84_002,
    "mi300_torch_compile_triton": 12_549,
}

# TB's mean step and the parts of it that it names (kernel + memset, memcpy, communication and
# the data loader), us.
TB_STEPS = {
    "v100_resnet50_dataloader_nw0": (177_592, 98_589 + 89, 1_915, 59_262),
    "v100_resnet_training": (78_828, 76_085 + 94, 632, 0),
    "h100_bert_small_inference": (4_167, 307, 2, 0),
    "b200_eager_inference": (86_429, 10_794, 803, 0),
}
# HTA's idle share, and the window and events that it counts: each trace has others.
HTA_IDLE = {
    "v100_resnet50_dataloader_nw0": (0.394, "device span", DEVICE),
    "v100_resnet_training": (0.026, "steps", DEVICE),
    "a100_ddp_nccl": (0.778, "first to last step's start", DEVICE),
    "b200_eager_inference": (0.872, "device span", KERNELS),
}


@pytest.mark.parametrize("name", NAMES)
def test_the_report_is_whole_and_its_ledgers_add_up(name: str) -> None:
    found = report(name)
    assert self_check(found.profile) == []
    assert not [note for note in found.profile.notes if note.startswith("Inconsistent")]
    jsonschema.Draft202012Validator(load_schema()).validate(json.loads(report_to_text(found)))
    assert found.verdict is not None


@pytest.mark.parametrize("name", NAMES)
def test_busy_time_is_the_union_of_all_device_events(name: str) -> None:
    busy_ms = attributed(name).profile.totals.device_busy_ms
    assert busy_ms is not None
    assert busy_ms * 1000 == pytest.approx(_union_us(name), abs=0.01)
    # The reference was counted in floats: microseconds since 1970 leave them a quarter of one.
    assert busy_ms * 1000 == pytest.approx(BUSY_US[name], abs=1, rel=2e-5)


@pytest.mark.parametrize("name", TB_STEPS)
def test_shares_of_the_step_are_tensorboards_within_a_point(name: str) -> None:
    total, kernels, copies, data = TB_STEPS[name]
    shares = attributed(name).profile.breakdown
    assert shares.compute + shares.memory == pytest.approx(kernels / total, abs=0.01)
    assert shares.copy == pytest.approx(copies / total, abs=0.01)
    assert shares.data == pytest.approx(data / total, abs=0.01)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_not_busy_in_the_steps_is_idle(name: str) -> None:
    timeline = attributed(name).ledgers.timeline
    bounds = timeline.recordings[0].bounds
    base = timeline.facts["base_ns"] - timeline.facts["recorded_base_ns"]
    first, last = (Decimal(edge + base) / 1000 for edge in (bounds[0], bounds[-1]))
    idle = 1 - _union_us(name, DEVICE, first, last) / float(last - first)
    assert _idle(name) == pytest.approx(idle, abs=1e-3)


@pytest.mark.parametrize("name", HTA_IDLE)
def test_holistic_trace_analysis_says_the_same_on_its_own_terms(name: str) -> None:
    """Where its figure is not ours, it is of another stretch of time, or leaves copies out."""
    idle, window, events = HTA_IDLE[name]
    first, last = _window(name, window)
    assert 1 - _union_us(name, events, first, last) / float(last - first) == pytest.approx(
        idle, abs=0.01
    )
    if window == "steps":
        assert _idle(name) == pytest.approx(idle, abs=0.01)


def _idle(name: str) -> float:
    shares = attributed(name).profile.breakdown
    return 1 - (shares.compute + shares.memory + shares.copy + shares.communication)


def _window(name: str, kind: str) -> tuple[Decimal, Decimal]:
    steps = sorted(
        (event["ts"], event["ts"] + event["dur"])
        for event in plain_events(name)
        if event.get("name", "").startswith("ProfilerStep")
        and event.get("cat") in ("user_annotation", "Operator")
    )
    work = [
        (event["ts"], event["ts"] + event["dur"])
        for event in plain_events(name)
        if event.get("cat") in DEVICE
    ]
    return {
        "steps": lambda: (steps[0][0], steps[-1][1]),
        "first to last step's start": lambda: (steps[0][0], steps[-1][0]),
        "device span": lambda: (min(start for start, _ in work), max(end for _, end in work)),
    }[kind]()


def _union_us(
    name: str,
    categories: tuple[str, ...] = DEVICE,
    first: Decimal = Decimal(0),
    last: Decimal = Decimal("Infinity"),
) -> float:
    spans = sorted(
        (max(event["ts"], first), min(event["ts"] + event["dur"], last))
        for event in plain_events(name)
        if event.get("cat") in categories
    )
    total, until = Decimal(0), Decimal(0)
    for start, end in spans:
        if end > start:
            total += max(Decimal(0), end - max(start, until))
            until = max(until, end)
    return float(total)


def _hints(name: str) -> dict[str, str]:
    return {hint.finding.rule: hint.finding.message for hint in report(name).hints}


def test_a_loader_without_workers_is_a_third_of_the_step() -> None:
    """TB's advice on it: "33.4 % of the step in DataLoader", and no tensor core is used."""
    found = report("v100_resnet50_dataloader_nw0")
    assert found.profile.breakdown.data == pytest.approx(0.334, abs=0.01)
    hints = {hint.finding.rule: hint.finding for hint in found.hints}
    assert set(hints) >= {"slow-input", "autocast"}
    assert hints["slow-input"].line == 42  # for step, data in enumerate(trainloader, 0):
    assert hints["autocast"].line == 46


@pytest.mark.parametrize("name", ["h100_bert_small_inference", "b200_eager_inference"])
def test_inference_of_small_kernels_is_host_bound_and_says_where(name: str) -> None:
    found = report(name)
    assert found.verdict is not None
    assert found.verdict.bound == "host"
    assert found.verdict.share > 0.85
    assert len(found.verdict.causes) >= 3
    assert all(cause.line is not None for cause in found.verdict.causes)
    assert not [text for text in _hints(name).values() if "batch" in text]


def test_a_busy_device_is_gpu_bound_and_its_host_is_left_in_peace() -> None:
    found = report("v100_resnet_training")
    assert found.verdict is not None
    assert found.verdict.bound == "compute"
    assert found.verdict.share == pytest.approx(0.966, abs=0.01)
    host = {"slow-input", "sync-in-step", "host-bound"}
    assert not host & set(_hints("v100_resnet_training"))


def test_a_device_that_waits_for_other_ranks_is_communication_bound() -> None:
    """TB calls this trace well used, as NCCL's kernels are busy while they wait for the others."""
    name = "mi300_resnet_ddp_checkpointing"
    found = report(name)
    assert found.verdict is not None
    assert found.verdict.bound == "communication"
    assert _idle(name) < 0.07
    assert "slow-input" not in _hints(name)
    assert "sync-in-step" not in _hints(name)


def test_the_repeated_forward_of_checkpointing_is_recognised() -> None:
    """Against the kernels whose launch lies inside checkpoint's own frames."""
    name = "mi300_resnet_ddp_checkpointing"
    events = plain_events(name)
    again = [
        (event["tid"], event["ts"], event["ts"] + event["dur"])
        for event in events
        if event.get("name", "").endswith("recompute_fn")
    ]
    calls = {
        event["args"]["correlation"]: any(
            tid == event["tid"] and low <= event["ts"] < high for tid, low, high in again
        )
        for event in events
        if event.get("cat") == "cuda_runtime"
    }
    work = {kind: {True: 0.0, False: 0.0} for kind in ("kernel", "gpu_memcpy")}
    for event in events:
        kind = event.get("cat")
        if kind in work and "nccl" not in event["name"] and event["args"]["correlation"] in calls:
            work[kind][calls[event["args"]["correlation"]]] += float(event["dur"])
    profile = attributed(name).profile
    shares = profile.breakdown
    per_step = {"kernel": shares.compute + shares.memory, "gpu_memcpy": shares.copy}
    expected = sum(
        share * profile.step_ms.median * work[kind][True] / sum(work[kind].values())
        for kind, share in per_step.items()
    )
    assert len(again) == 12
    assert profile.recomputed_ms == pytest.approx(expected, rel=0.03)
    assert report("v100_resnet_training").profile.recomputed_ms == 0


# HTA's overlap of communication with computation, from the first to the last step's start.
HTA_OVERLAP = {
    "a100_ddp_nccl": 0.143,
    "a100_recsys_rank0": 0.118,
    "a100_recsys_rank1": 0.201,
    "b200_eager_inference": 0.0,
}


@pytest.mark.parametrize("name", HTA_OVERLAP)
def test_communication_that_computation_hides(name: str) -> None:
    """Exactly by a plain count over our steps; as HTA says over its shorter window."""
    totals = attributed(name).profile.totals
    assert totals.communication_ms
    assert totals.hidden_ms is not None
    marked = any(event.get("name", "").startswith("ProfilerStep") for event in plain_events(name))
    first, last = _window(name, "steps") if marked else (Decimal(0), Decimal("Infinity"))
    whole, hidden = _communication_us(name, first, last)
    assert totals.communication_ms * 1000 == pytest.approx(whole, rel=1e-4)
    assert totals.hidden_ms * 1000 == pytest.approx(hidden, rel=1e-4, abs=0.01)
    if marked:
        first, last = _window(name, "first to last step's start")
        whole, hidden = _communication_us(name, first, last)
    assert hidden / whole == pytest.approx(HTA_OVERLAP[name], abs=0.01)


def _communication_us(name: str, first: Decimal, last: Decimal) -> tuple[float, float]:
    """Time of NCCL kernels, and of it the part with another kernel beside them."""
    edges = []
    for event in plain_events(name):
        if event.get("cat") in KERNELS:
            begin, end = max(event["ts"], first), min(event["ts"] + event["dur"], last)
            if end > begin:
                kind = event["name"].startswith("nccl")
                edges += [(begin, 1, kind), (end, -1, kind)]
    running = {True: 0, False: 0}
    whole, hidden, here = Decimal(0), Decimal(0), Decimal(0)
    for time, change, kind in sorted(edges, key=itemgetter(0)):
        if running[True]:
            whole += time - here
            hidden += time - here if running[False] else 0
        running[kind] += change
        here = time
    return float(whole), float(hidden)


def test_a_device_that_falls_behind_is_said_to() -> None:
    assert any("fell behind" in note for note in report("v100_resnet_training").profile.notes)
    assert not any(
        "fell behind" in note for note in report("v100_resnet50_dataloader_nw0").profile.notes
    )


def test_generated_kernels_are_named_by_what_they_fuse() -> None:
    names = [op.name for op in attributed("mi300_torch_compile_triton").profile.unattributed.ops]
    described = [describe_operator(name) for name in names]
    assert any(name.endswith("(fuses add, mean, mul, pow, rsqrt)") for name in described)


@pytest.mark.parametrize("name", NAMES)
def test_no_recorded_line_claims_to_be_the_executing_one(name: str) -> None:
    profile = attributed(name).profile
    assert not [line for line in profile.lines if line.exact]


def test_two_ranks_of_one_job_are_compared() -> None:
    """Against plain counts of the kernels that ``nccl:all_to_all`` launched, in order."""
    names = ("a100_recsys_rank0", "a100_recsys_rank1")
    ranks = open_recordings([path_of(name) for name in names]).report.profile.ranks
    assert ranks is not None
    assert [rank.rank for rank in ranks.ranks] == [0, 1]
    assert ranks.world_size == 128
    assert len(ranks.missing) == 126
    for rank, share in zip(ranks.ranks, (0.273, 0.242), strict=True):
        assert rank.breakdown.communication == pytest.approx(share, abs=0.01)
    found = {collective.name: collective for collective in ranks.collectives}
    assert set(found) == {"nccl:all_to_all", "nccl:all_reduce", "nccl:_all_gather_base"}
    kernels = [_nccl_kernels(name) for name in names]
    assert kernels[0].keys() == kernels[1].keys()
    waits = sum(
        abs(one - other)
        for kind in kernels[0]
        for one, other in zip(kernels[0][kind], kernels[1][kind], strict=True)
    )
    assert sum(each.wait_ms for each in found.values()) == pytest.approx(waits / 2, rel=0.01)


def _nccl_kernels(name: str) -> dict[str, list[float]]:
    """Durations (ms) of collective kernels by the annotation round their launch, as launched."""
    events = plain_events(name)
    first, last = _window(name, "steps")
    marks = [
        (event["tid"], event["ts"], event["ts"] + event["dur"], event["name"])
        for event in events
        if event.get("cat") == "user_annotation" and event["name"].startswith("nccl:")
    ]
    launches = {
        event["args"]["correlation"]: (event["tid"], event["ts"])
        for event in events
        if event.get("cat") == "cuda_runtime" and first <= event["ts"] < last
    }
    found = []
    for event in events:
        if event.get("cat") != "kernel" or not event["name"].startswith("nccl"):
            continue
        thread, time = launches.get(event["args"]["correlation"], (None, first))
        around = [what for tid, low, high, what in marks if tid == thread and low <= time < high]
        if around:
            found.append((around[0], time, float(event["dur"]) / 1000))
    found.sort()
    return {kind: [ms for _, _, ms in rows] for kind, rows in groupby(found, key=itemgetter(0))}
