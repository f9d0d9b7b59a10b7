"""When a run goes on through a model made for it."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from stepscope.session import modelonly
from stepscope.session.model import Failure, FailureKind, ProfileRequest

CLASS = "class Net(nn.Module):\n    def forward(self, x):\n        return x\n"
SMOKE = f"{CLASS}\nif __name__ == '__main__':\n    print(Net()(1))\n"
TRAINS = f"{CLASS}\nfor x in y:\n    opt.step()\n"
QUIET = {"optimizer": 0, "framework": 0, "explicit": 0, "backward": 0, "module": 1}


def request(tmp_path: Path, text: str, **fields: Any) -> ProfileRequest:
    target = tmp_path / "net.py"
    target.write_text(text, encoding="utf-8")
    return dataclasses.replace(ProfileRequest(target), **fields)


def ended(**fields: Any) -> dict[str, Any]:
    counts = {**QUIET, **fields.pop("counts", {})}
    values: dict[str, Any] = {
        "code": None,
        "torch": True,
        "defined": ["Net"],
        "loop": False,
        "boundary": None,
        "ticks": 0,
    }
    return {**values, "counts": counts, **fields}


def test_definitions_alone_need_no_run(tmp_path: Path) -> None:
    wish = modelonly.at_once(request(tmp_path, CLASS, symbol="Net"))
    assert wish is not None
    assert wish["symbol"] == "Net"
    assert modelonly.at_once(request(tmp_path, SMOKE, symbol="Net")) is None


def test_an_expression_of_the_person_decides(tmp_path: Path) -> None:
    wish = modelonly.at_once(request(tmp_path, TRAINS, inputs_expression="x"))
    assert wish is not None
    assert (wish["model"], wish["inputs"]) == (None, "x")


def test_settings_are_passed_on_by_class(tmp_path: Path) -> None:
    wish = modelonly.at_once(request(tmp_path, CLASS, model_inputs=(("Net", "Net(3)", None),)))
    assert wish is not None
    assert wish["settings"] == {"Net": {"model": "Net(3)", "inputs": None}}


def test_a_chosen_loop_is_run(tmp_path: Path) -> None:
    assert modelonly.at_once(request(tmp_path, CLASS, loop=3)) is None


@pytest.mark.parametrize(
    ("text", "fields", "goes_on"),
    [
        pytest.param(SMOKE, {}, True, id="a smoke test"),
        pytest.param(SMOKE, {"code": "0"}, True, id="exit(0)"),
        pytest.param(SMOKE, {"counts": {"backward": 1}}, True, id="with a backward"),
        pytest.param(SMOKE, {"defined": []}, False, id="no class"),
        pytest.param(SMOKE, {"torch": False}, False, id="no torch"),
        pytest.param(SMOKE, {"counts": {"optimizer": 1}}, False, id="it stepped"),
        pytest.param(SMOKE, {"loop": True, "counts": {"module": 2}}, False, id="an inference loop"),
        pytest.param(SMOKE, {"counts": {"module": 30}}, False, id="many calls"),
        pytest.param(SMOKE, {"boundary": "chosen"}, False, id="a chosen loop"),
        pytest.param(SMOKE, {"code": "2"}, False, id="exit(2)"),
        pytest.param(TRAINS, {}, False, id="it would have trained"),
    ],
)
def test_after_a_file_has_ended(
    tmp_path: Path, text: str, fields: dict[str, Any], goes_on: bool
) -> None:
    wish = modelonly.after_end(request(tmp_path, text), ended(**fields))
    assert (wish is not None) is goes_on


@pytest.mark.parametrize(
    ("text", "symbol", "goes_on"),
    [(SMOKE, "Net", True), (SMOKE, None, False), (TRAINS, "Net", False)],
)
def test_after_a_file_has_failed(
    tmp_path: Path, text: str, symbol: str | None, goes_on: bool
) -> None:
    asked = request(tmp_path, text, symbol=symbol)
    failure = Failure(FailureKind.TARGET_FAILED, "net.py raised KeyError.")
    wish = modelonly.after_failure(asked, failure)
    assert (wish is not None) is goes_on
    if wish is not None:
        assert wish["because"] == "net.py raised KeyError."
    exited = modelonly.after_end(asked, ended(code="2"))
    assert (exited is not None) is goes_on
    timed_out = Failure(FailureKind.TIMED_OUT, "no step")
    assert modelonly.after_failure(asked, timed_out) is None
