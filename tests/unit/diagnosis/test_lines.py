"""Rules on what the person's own lines do beside the model: logs, files, garbage, lists, copies."""

from __future__ import annotations

import pytest

from stepscope.diagnosis.engine import run_rules
from stepscope.diagnosis.finding import Severity
from stepscope.diagnosis.rules import (
    empty_cache,
    gc_in_step,
    log_every_step,
    redundant_clone,
    save_every_step,
    tensor_from_python,
)
from tests.unit.diagnosis.builders import cpu, facts
from tests.unit.diagnosis.gpu_run import Run

LIST = "for x in xs:\n    y = torch.tensor(rows)  # expect: tensor-from-python\n    f(x)\n"
THOUSAND = "[[1000]]|float"


def lists(source: str = LIST, us: int = 100, shape: str | None = THOUSAND) -> Run:
    run = Run(source, device="cpu").call("y =", "aten::empty", us)
    return run.call("y =", "", us).call("y =", "aten::lift_fresh", 1, inputs=shape)


def test_a_tensor_from_a_long_list_is_measured_without_its_operators() -> None:
    found = lists().check("tensor-from-python")
    assert found.evidence["spent_ms"] == pytest.approx(0.101, rel=0.1)


@pytest.mark.parametrize(
    ("source", "us", "shape"),
    [
        (LIST, 20, THOUSAND),  # quick
        (LIST, 100, "[[3]]|float"),  # few numbers: something else takes the time
        (LIST, 100, None),  # size not recorded
        (LIST.replace("torch.tensor(rows)", "f(rows)"), 100, THOUSAND),  # in a library
        (LIST.replace("rows", "1.0"), 100, THOUSAND),  # a single number
    ],
)
def test_other_tensors_are_not_spoken_of(source: str, us: int, shape: str | None) -> None:
    assert lists(source, us, shape).findings("tensor-from-python") == ()


LOG = "for i, x in enumerate(xs):\n    print(i, x)  # expect: log-every-step\n"


def test_a_dear_line_of_log_is_measured() -> None:
    found = Run(LOG, device="cpu").call("print", "", 200).check("log-every-step")
    assert found.evidence["spent_ms"] == pytest.approx(0.2)


def test_a_quick_log_and_a_wait_for_the_device_are_not_its_matter() -> None:
    assert Run(LOG, device="cpu").call("print", "", 40).findings("log-every-step") == ()
    waiting = Run(LOG).call("print", "aten::item", 200, wait_us=190)
    assert waiting.findings("log-every-step") == ()
    math = Run("for x in xs:\n    y = math.log(x)\n", device="cpu").call("y =", "", 200)
    assert math.findings("log-every-step") == ()


SAVE = "for x in xs:\n    torch.save(x, path)  # expect: save-every-step\n"


def test_a_file_in_every_step_is_measured() -> None:
    Run(SAVE, device="cpu").call("save", "", 200).check("save-every-step")
    assert Run(SAVE, device="cpu").call("save", "", 20).findings("save-every-step") == ()
    other = Run("for x in xs:\n    model.save(x)\n", device="cpu").call("save", "", 200)
    assert other.findings("save-every-step") == ()


COLLECT = "for x in xs:\n    gc.collect()  # expect: gc-in-step\n"


def test_garbage_that_is_collected_in_every_step_is_measured() -> None:
    Run(COLLECT, device="cpu").call("collect", "", 200).check("gc-in-step")
    assert Run(COLLECT, device="cpu").call("collect", "", 20).findings("gc-in-step") == ()
    other = Run("for x in xs:\n    self.collect()\n", device="cpu").call("collect", "", 200)
    assert other.findings("gc-in-step") == ()


EMPTY = "for x in xs:\n    torch.cuda.empty_cache()  # expect: empty-cache\n    f(x)\n"


def test_an_emptied_cache_is_measured_on_a_gpu_and_a_hint_without_one() -> None:
    found = Run(EMPTY).call("empty", "", 200).call("f(x)", "aten::mm", 50, kernel_us=50)
    assert found.check("empty-cache").gain_ms == pytest.approx((0.0, 0.2))
    quick = Run(EMPTY).call("empty", "", 20).call("f(x)", "aten::mm", 50, kernel_us=50)
    assert quick.findings("empty-cache") == ()
    hint = Run(EMPTY, device="cpu").call("empty", "", 1).check("empty-cache")
    assert (hint.severity, hint.gain_ms) == (Severity.HINT, None)


CLONE = """\
def f(x, w):
    for _ in range(3):
        y = x.clone()  # expect: redundant-clone
        z = torch.relu(y) + w
        w = z + x.sum()
"""


def cloned(source: str = CLONE, us: int = 100) -> Run:
    return Run(source, device="cpu").call("clone()", "aten::clone", us)


def test_a_copy_that_nobody_changes_is_measured() -> None:
    found = cloned().check("redundant-clone")
    assert found.gain_ms == pytest.approx((0.0, 0.1))
    assert cloned(us=20).findings("redundant-clone") == ()


@pytest.mark.parametrize(
    "use",
    [
        "y += 1",
        "y[0] = 1",
        "y.add_(1)",
        "x.mul_(2)",
        "return y",
        "keep.append(y)",
        "model(y)",
        "v = y.view(3)",
        "v = y",
        "self.y = y",
        "torch.add(w, w, out=y)",
        "g = lambda: (y := 3)",
    ],
)
def test_a_copy_that_may_be_changed_is_needed(use: str) -> None:
    assert cloned(f"{CLONE}        {use}\n").findings("redundant-clone") == ()


def test_a_copy_outside_a_function_or_of_an_expression_is_left_alone() -> None:
    assert cloned("for _ in r:\n    y = x.clone()\n").findings("redundant-clone") == ()
    attribute = CLONE.replace("x.clone()", "self.x.clone()")
    assert cloned(attribute).findings("redundant-clone") == ()


@pytest.mark.parametrize("module", [redundant_clone, tensor_from_python])
def test_without_recorded_operators_they_abstain(
    module: object, caplog: pytest.LogCaptureFixture
) -> None:
    rule = module.RULE  # type: ignore[attr-defined]
    with caplog.at_level("DEBUG"):
        assert run_rules([rule], facts(cpu())).findings == ()
    assert f"{rule.name} abstains" in caplog.text


@pytest.mark.parametrize("module", [empty_cache, gc_in_step, log_every_step, save_every_step])
def test_without_a_source_nothing_is_said(module: object) -> None:
    rule = module.RULE  # type: ignore[attr-defined]
    assert run_rules([rule], facts(cpu(), sources={})).findings == ()
