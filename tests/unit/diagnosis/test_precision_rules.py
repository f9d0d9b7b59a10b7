"""The rules on precision: each fires on its line, is silent on a near miss, and abstains."""

from __future__ import annotations

from typing import Any

import pytest

from stepscope.diagnosis.finding import Finding, Severity
from stepscope.diagnosis.rule import Evaluate
from stepscope.diagnosis.rules import (
    cast_churn,
    float32_attention,
    float64,
    fp16_scaler,
    tf32,
    unaligned_products,
)
from tests.factories import TARGET, line, line_of
from tests.unit.diagnosis.builders import FORWARD, PRINT, breakdown, cpu, facts, gpu
from tests.unit.diagnosis.builders.precision import cast, half, precision, typed

RULES = (tf32, unaligned_products, fp16_scaler, cast_churn, float32_attention, float64)


def only(evaluate: Evaluate, *given: object, **fields: Any) -> Finding:
    (found,) = evaluate(facts(*given, **fields))
    return found


def none(evaluate: Evaluate, *given: object, **fields: Any) -> bool:
    return evaluate(facts(*given, **fields)) == ()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.NAME)
def test_without_recorded_types_every_rule_abstains(rule: Any) -> None:
    assert none(rule.evaluate)
    assert none(rule.evaluate, cpu())


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.NAME)
def test_a_tuned_half_precision_step_is_left_alone(rule: Any) -> None:
    work = [
        half(ms=20.0, headroom_ms=5.0),
        cast(ms=0.8),
        typed(operator="aten::_softmax", matmul=False, ms=1.0),
        typed(operator="aten::mm", ms=0.5),
    ]
    assert none(rule.evaluate, precision(*work, tf32=True))


# -- tf32 ---------------------------------------------------------------------------------------


def test_tf32_stands_where_torch_is_imported_and_gains_at_most_the_ratio() -> None:
    found = only(tf32.evaluate, gpu(), precision(typed(), typed(ms=6.0, backward=True)))
    assert (found.file, found.line) == (TARGET, 1)
    assert found.severity is Severity.INFORMATION
    assert found.evidence == {
        "float32_ms": 18.0,
        "share": 0.6,
        "tf32_ratio": 2.0,
        "line": FORWARD,
    }
    assert found.gain_ms == pytest.approx((18 * (1 - 2**-0.5), 9.0))
    assert f"line {FORWARD} of train.py" in found.message


@pytest.mark.parametrize(
    "work",
    [
        typed(ms=2.9),  # under a tenth of the step
        typed(regime="memory"),
        typed(operator="aten::cudnn_convolution"),
        half(),
        typed(matmul=False),
    ],
)
def test_tf32_is_silent_about_what_it_cannot_speed_up(work: Any) -> None:
    assert none(tf32.evaluate, precision(work))


def test_tf32_is_silent_where_it_is_on_or_missing_or_no_faster_or_the_gpu_waits() -> None:
    assert none(tf32.evaluate, precision(typed(), tf32=True))
    assert none(tf32.evaluate, precision(typed(), tensor_cores=False))
    assert none(tf32.evaluate, gpu(bfloat16_peak=100e12), precision(typed()))
    assert none(tf32.evaluate, precision(typed()), breakdown=breakdown(overhead=0.3))


def test_tf32_abstains_on_the_cpu_and_without_peaks() -> None:
    assert none(tf32.evaluate, cpu(), precision(typed(), tensor_cores=None, tf32=None))
    assert none(tf32.evaluate, gpu(bfloat16_peak=None), precision(typed()))


# -- unaligned-products -------------------------------------------------------------------------

ODD = ((512, 1024), (1024, 50257))


def test_unaligned_products_names_the_sides_and_gains_at_most_the_headroom() -> None:
    back = half(shapes=((1024, 512), (512, 50257)), ms=6.0, headroom_ms=3.0, backward=True)
    found = only(unaligned_products.evaluate, precision(half(shapes=ODD), back))
    assert (found.line, found.gain_ms) == (FORWARD, (0.0, 7.0))
    assert found.evidence["sides"] == "50257"
    assert found.evidence["rounded"] == "50264"


@pytest.mark.parametrize(
    "work",
    [
        half(),  # all sides are multiples
        half(shapes=((511, 1024), (1024, 1024))),  # rows only
        typed(shapes=ODD),  # float32
        half(shapes=ODD, regime="memory"),
        half(shapes=ODD, headroom_ms=2.0),  # near the peak
        half(shapes=ODD, ms=1.4),  # a small share
    ],
)
def test_unaligned_products_is_silent(work: Any) -> None:
    assert none(unaligned_products.evaluate, precision(work))


def test_unaligned_products_abstains_without_a_peak_and_is_silent_on_the_cpu() -> None:
    assert none(unaligned_products.evaluate, precision(half(shapes=ODD, headroom_ms=None)))
    assert none(unaligned_products.evaluate, cpu(), precision(half(shapes=ODD)))


# -- fp16-scaler --------------------------------------------------------------------------------

SCALED = """\
import torch
for x in loader:
    with torch.autocast("cuda", dtype=torch.float16):
        loss = net(x).mean()
    scaler.scale(loss).backward()
    scaler.step(opt)
    scaler.update()
"""


def scaled(*work: Any, wait_ms: float = 1.5, **fields: Any) -> dict[str, Any]:
    from stepscope.attribution.model import Waits

    lines = [line(number, 1.0) for number in (3, 4, 5)]
    lines += [line(6, 3.0, wait_ms=Waits(sync=wait_ms)), line(7, 0.1)]
    return {"lines": tuple(lines), "sources": {TARGET: SCALED}}


UNSCALE = typed(
    6, operator="aten::_amp_foreach_non_finite_check_and_unscale_", matmul=False, ms=0.5
)
HALF16 = half(4, dtypes=("float16", "float16"))


def test_fp16_scaler_stands_on_autocast_and_counts_wait_and_unscaling() -> None:
    given = precision(HALF16, UNSCALE, scalers=1)
    found = only(fp16_scaler.evaluate, given, **scaled())
    assert (found.line, found.gain_ms) == (3, (0.0, 2.0))
    assert (found.evidence["wait_ms"], found.evidence["unscale_ms"]) == (1.5, 0.5)
    assert found.severity is Severity.INFORMATION


def test_fp16_scaler_is_silent_without_a_scaler_bfloat16_float16_or_a_cost() -> None:
    rule = fp16_scaler.evaluate
    assert none(rule, precision(HALF16, UNSCALE), **scaled())
    assert none(rule, precision(HALF16, UNSCALE, scalers=1, tensor_cores=False), **scaled())
    assert none(rule, precision(half(4), UNSCALE, scalers=1), **scaled())
    assert none(rule, precision(HALF16, UNSCALE, scalers=1), **scaled(wait_ms=0.3))


def test_fp16_scaler_abstains_where_neither_is_in_the_source() -> None:
    given = precision(HALF16, UNSCALE, scalers=1)
    assert none(fp16_scaler.evaluate, given)
    assert none(fp16_scaler.evaluate, precision(HALF16, scalers=1, tensor_cores=None), **scaled())


# -- cast-churn ---------------------------------------------------------------------------------


def test_cast_churn_adds_up_a_line_and_names_the_way() -> None:
    found = only(cast_churn.evaluate, precision(cast(ms=4.0), cast(ms=2.5, backward=True)))
    assert (found.line, found.gain_ms) == (FORWARD, (0.0, 6.5))
    assert found.evidence["cast"] == "float32 to bfloat16"
    assert found.severity is Severity.WARNING
    assert only(cast_churn.evaluate, cpu(), precision(cast(ms=3.1))).severity is (
        Severity.INFORMATION
    )


@pytest.mark.parametrize(
    "work",
    [
        cast(ms=2.9),
        cast(dtypes=("float32", "float32")),  # a copy
        cast(dtypes=("float32", "int64")),  # no floating-point type
        cast(operator="aten::mul"),
    ],
)
def test_cast_churn_is_silent(work: Any) -> None:
    assert none(cast_churn.evaluate, precision(work))
    assert none(cast_churn.evaluate, precision(cast(FORWARD, ms=2.0), cast(PRINT, ms=2.0)))


# -- float32-attention --------------------------------------------------------------------------

SCORES = typed(PRINT, operator="aten::bmm", ms=4.0)
SOFTMAX = typed(PRINT - 1, operator="aten::_softmax", matmul=False, ms=1.0)


def test_float32_attention_speaks_of_products_next_to_a_softmax() -> None:
    found = only(float32_attention.evaluate, precision(half(), SCORES, SOFTMAX))
    assert (found.line, found.gain_ms) == (PRINT, (2.0, 3.0))
    assert found.evidence["half_ratio"] == 4.0


def test_float32_attention_is_silent() -> None:
    rule = float32_attention.evaluate
    assert none(rule, precision(half(ms=0.5), SCORES, SOFTMAX))  # float32 is the rule
    assert none(rule, precision(half(), SCORES))  # no softmax near
    in_half = half(PRINT, operator="aten::bmm")  # autocast's own softmax in float32
    assert none(rule, precision(half(), in_half, SOFTMAX))
    assert none(rule, precision(half(), typed(PRINT, operator="aten::bmm", ms=0.8), SOFTMAX))
    assert none(rule, gpu(bfloat16_peak=60e12), precision(half(), SCORES, SOFTMAX))


def test_float32_attention_abstains_without_peaks() -> None:
    given = precision(half(), SCORES, SOFTMAX)
    assert none(float32_attention.evaluate, gpu(float32_peak=None), given)


# -- float64 ------------------------------------------------------------------------------------


def test_float64_stands_where_it_is_asked_for_if_there_is_one_such_place() -> None:
    source = "import torch\nx = y.double()\nz = x @ x\n"
    work = typed(3, dtypes=("float64", "float64"), ms=8.0)
    found = only(float64.evaluate, cpu(), precision(work), sources={TARGET: source})
    assert (found.line, found.severity) == (2, Severity.WARNING)
    assert found.evidence == {"float64_ms": 8.0, "share": 8 / 30, "line": 3, "places": 1}
    assert found.gain_ms == (0.0, 6.0)
    twice = source + "w = torch.zeros(3, dtype=torch.float64)\n"
    found = only(float64.evaluate, precision(work), sources={TARGET: twice})
    assert found.line == 3
    assert found.gain_ms == pytest.approx((0.0, 8 * 63 / 64))


def test_float64_is_silent_about_a_scalar_now_and_then() -> None:
    assert none(float64.evaluate, precision(typed(dtypes=("float64",), ms=1.4)))
    assert none(float64.evaluate, precision(typed(ms=29.0)))
    number = typed(operator="aten::mul", dtypes=("float32", "float64"), shapes=((512,), ()))
    assert none(float64.evaluate, precision(number))


def test_the_line_of_the_import_is_that_of_the_source() -> None:
    assert line_of("import torch") == 1
