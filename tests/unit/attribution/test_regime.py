"""What bounds a line: hand-made efforts, and the efforts of constructed recordings."""

from __future__ import annotations

import pytest

from stepscope.attribution.owners import own
from stepscope.attribution.regime import Effort, Efforts, Peaks, add_up, efforts, regime_of
from stepscope.timeline.model import Timeline
from tests.timelines import Tape, recording_of

PEAKS = Peaks(float32=1e12, half=2e12, bandwidth=1e11, launch_ns=1000.0, source="test")
SCHEMAS = {
    "aten::mm": "new", "aten::relu_": "inplace", "aten::t": "view", "aten::convolution": "new",
    "aten::_convolution": "new", "aten::mkldnn_convolution": "new", "aten::empty": "new",
    "aten::linear": "new",
}  # fmt: skip


@pytest.mark.parametrize(
    ("effort", "regime", "least_ms"),
    [
        (Effort(flops=1e9, moved=1e6, launches=1), "compute", 1.0),
        (Effort(flops=1e9, half_flops=1e9, moved=1e6, launches=1), "compute", 0.5),
        (Effort(flops=1e3, moved=1e8, launches=1), "memory", 1.0),
        (Effort(flops=1e3, moved=1e3, launches=100), "overhead", 0.1),
    ],
)
def test_the_longest_of_the_three_names_the_regime(
    effort: Effort, regime: str, least_ms: float
) -> None:
    found, headroom = regime_of(effort, 3.0, PEAKS)
    assert found == regime
    assert headroom == pytest.approx(3.0 - least_ms)


def test_headroom_is_never_negative() -> None:
    assert regime_of(Effort(flops=1e9, launches=1), 0.2, PEAKS) == ("compute", 0.0)


@pytest.mark.parametrize("missing", ["float32", "bandwidth", "launch_ns"])
def test_an_unknown_peak_gives_no_regime(missing: str) -> None:
    known = {"float32": 1e12, "bandwidth": 1e11, "launch_ns": 1e3}
    known = {name: value for name, value in known.items() if name != missing}
    peaks = Peaks(
        known.get("float32"), None, known.get("bandwidth"), known.get("launch_ns"), "test"
    )
    assert regime_of(Effort(flops=1e9, launches=1), 1.0, peaks) == (None, None)


def test_half_precision_without_a_peak_of_its_own_is_measured_by_the_other() -> None:
    peaks = Peaks(1e12, None, 1e11, 1e3, "test")
    assert regime_of(Effort(flops=1e9, half_flops=1e9, launches=1), 3.0, peaks) == ("compute", 2.0)


def test_what_did_nothing_has_no_regime() -> None:
    assert regime_of(Effort(moved=100), 1.0, PEAKS) == (None, None)


def test_efforts_add_up() -> None:
    total = add_up([Effort(1, 2, 3, 4), Effort(10, 20, 30, 40, matmul=True)])
    assert total == Effort(11, 22, 33, 44, matmul=True)


def efforts_of(tape: Tape, allocated: dict[int, int]) -> tuple[Timeline, Efforts]:
    timeline = tape.timeline()
    recording = recording_of(timeline, "detail")
    return timeline, efforts(timeline, recording, own(timeline, recording), allocated)


def named(timeline: Timeline, found: Efforts) -> dict[str, Effort]:
    return {timeline.strings[key[1]]: effort for key, effort in found.by_key.items()}


def test_efforts_are_per_step_and_only_of_operators_that_work_themselves() -> None:
    tape = Tape(0, 100, 200, kind="detail", schemas=SCHEMAS)
    tape.line(0, 1)
    operators = {}
    for begin in (0, 100):
        tape.op("aten::linear", begin, begin + 50, inputs="[[4, 3], [5, 3]]|float,float")
        tape.op("aten::t", begin, begin + 2, inputs="[[5, 3]]|float")
        mm = tape.op("aten::mm", begin + 2, begin + 50, inputs="[[4, 3], [3, 5]]|float,float")
        operators[mm] = 4 * 5 * 4
    timeline, found = efforts_of(tape, operators)
    efforts_by_name = named(timeline, found)
    assert efforts_by_name["aten::mm"] == Effort(
        flops=2 * 4 * 5 * 3, moved=4 * (4 * 3 + 3 * 5 + 4 * 5), launches=1, matmul=True
    )
    assert efforts_by_name["aten::linear"] == Effort(), "it only dispatches"
    assert "aten::t" not in efforts_by_name, "a view moves nothing"


def test_half_precision_work_is_kept_apart() -> None:
    tape = Tape(0, 100, kind="detail", schemas=SCHEMAS)
    tape.line(0, 1)
    half = "c10::BFloat16"
    tape.op("aten::mm", 0, 50, inputs=f"[[4, 3], [3, 5]]|{half},{half}")
    timeline, found = efforts_of(tape, {})
    effort = named(timeline, found)["aten::mm"]
    assert effort.half_flops == effort.flops == 120
    assert effort.moved == 2 * (12 + 15)


def test_a_convolutions_flops_go_once_to_the_operator_that_does_it() -> None:
    tape = Tape(0, 100, kind="detail", schemas=SCHEMAS)
    tape.line(0, 1)
    shapes, types = "[[2, 4, 16], [8, 2, 3], [8]", "float,float,float"
    values = "[None, None, None, [1], [1], [1], False, [0], 2]"
    tape.op("aten::convolution", 0, 90, inputs=f"{shapes}]|{types}|{values}")
    tape.op("aten::_convolution", 1, 89, inputs=f"{shapes}]|{types}")
    tape.op("aten::empty", 2, 4, inputs="[[]]|ScalarList")
    tape.op("aten::mkldnn_convolution", 5, 80, inputs=f"{shapes}]|{types}")
    tape.op("aten::mkldnn_convolution", 81, 82, inputs=f"{shapes}]|{types}")
    timeline, found = efforts_of(tape, {})
    flops = {name: effort.flops for name, effort in named(timeline, found).items()}
    assert flops.pop("aten::mkldnn_convolution") == 2 * (2 * 8 * 16) * (2 * 3)
    assert set(flops.values()) == {0}


def test_operators_outside_the_steps_or_without_a_schema_do_nothing() -> None:
    tape = Tape(0, 100, kind="detail", schemas=SCHEMAS)
    tape.line(0, 1)
    tape.op("aten::mm", 150, 160, inputs="[[4, 3], [3, 5]]|float,float")
    tape.op("Optimizer.step#SGD.step", 0, 50)
    _, found = efforts_of(tape, {})
    assert found.by_key == {}
