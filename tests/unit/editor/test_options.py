from __future__ import annotations

from typing import Any

import pytest

from stepscope.editor.options import (
    CodeLensOptions,
    HeatOptions,
    InlayHintOptions,
    Options,
    RuleOptions,
    TraceOptions,
    parse_options,
)


@pytest.mark.parametrize(
    "settings", [None, {}, {"stepscope": None}, {"other": {"steps": 3}}, 7, []]
)
def test_nothing_given_means_the_defaults(settings: object) -> None:
    assert parse_options(settings) == (Options(), ())


def test_every_option_is_read() -> None:
    options, problems = parse_options(
        {
            "stepscope": {
                "interpreter": ["/env/bin/python"],
                "args": ["--fast"],
                "cwd": "/data",
                "steps": 5,
                "warmup": 0,
                "timeout": 12.5,
                "modelInputs": {"Net": {"model": "Net(3)"}, "Old": {"inputs": "x"}},
                "askAfter": 1,
                "stepTimeout": 2,
                "grace": 3,
                "cpu": True,
                "guard": False,
                "processesPerNode": 2,
                "env": {"A": "1", "B": ""},
                "rules": {"disable": ["autocast"], "severity": {"slow-input": "hint"}},
                "inlayHints": {"precision": "share"},
                "codeLens": {"run": False, "totals": False},
                "heat": {"enabled": False},
                "trace": {"sourceMap": {"/job": "/src"}},
                "unknown": 1,
            }
        }
    )
    assert problems == ()
    assert options == Options(
        interpreter=("/env/bin/python",),
        args=("--fast",),
        cwd="/data",
        steps=5,
        warmup=0,
        timeout=12.5,
        model_inputs=(("Net", "Net(3)", None), ("Old", None, "x")),
        ask_after=1.0,
        step_timeout=2.0,
        grace=3.0,
        cpu=True,
        guard=False,
        processes=2,
        env=(("A", "1"), ("B", "")),
        rules=RuleOptions(disable=("autocast",), severity=(("slow-input", "hint"),)),
        inlay_hints=InlayHintOptions(precision="share"),
        code_lens=CodeLensOptions(run=False, totals=False),
        heat=HeatOptions(enabled=False),
        trace=TraceOptions(source_map=(("/job", "/src"),)),
    )


@pytest.mark.parametrize("unset", [{"interpreter": []}, {"interpreter": [""]}, {"steps": None}])
def test_empty_values_mean_unset(unset: dict[str, Any]) -> None:
    assert parse_options({"stepscope": unset}) == (Options(), ())


@pytest.mark.parametrize(
    ("bad", "name"),
    [
        ({"interpreter": "/env/bin/python"}, "interpreter"),
        ({"interpreter": ["a", 1]}, "interpreter"),
        ({"args": "a b"}, "args"),
        ({"args": [1]}, "args"),
        ({"cwd": 1}, "cwd"),
        ({"steps": 0}, "steps"),
        ({"steps": True}, "steps"),
        ({"steps": 2.5}, "steps"),
        ({"warmup": -1}, "warmup"),
        ({"timeout": 0}, "timeout"),
        ({"timeout": "1"}, "timeout"),
        ({"timeout": True}, "timeout"),
        ({"modelInputs": ["Net(3)"]}, "modelInputs"),
        ({"modelInputs": {"Net": "Net(3)"}}, "modelInputs"),
        ({"modelInputs": {"Net": {"model": 3}}}, "modelInputs"),
        ({"askAfter": 0}, "askAfter"),
        ({"stepTimeout": "x"}, "stepTimeout"),
        ({"grace": -1}, "grace"),
        ({"cpu": 1}, "cpu"),
        ({"processesPerNode": 0}, "processesPerNode"),
        ({"processesPerNode": True}, "processesPerNode"),
        ({"env": ["A=1"]}, "env"),
        ({"trace": {"sourceMap": {"/job": 1}}}, "trace.sourceMap"),
        ({"trace": {"sourceMap": {"": "/src"}}}, "trace.sourceMap"),
        ({"env": {"A": 1}}, "env"),
        ({"env": {"A=B": "1"}}, "env"),
        ({"rules": []}, "rules"),
        ({"rules": {"severity": ["autocast"]}}, "rules.severity"),
        ({"rules": {"severity": {"autocast": "loud"}}}, "rules.severity"),
        ({"rules": {"disable": "autocast"}}, "rules.disable"),
        ({"inlayHints": {"precision": "all"}}, "inlayHints.precision"),
        ({"inlayHints": {"precision": ["off"]}}, "inlayHints.precision"),
        ({"codeLens": {"totals": "no"}}, "codeLens.totals"),
        ({"heat": {"enabled": 1}}, "heat.enabled"),
    ],
)
def test_a_bad_value_is_named_and_its_neighbours_count(bad: dict[str, Any], name: str) -> None:
    options, problems = parse_options({"stepscope": {"cwd": "/kept", **bad}})
    assert len(problems) == 1
    assert problems[0].startswith(f"stepscope.{name} must be ")
    assert options == Options(cwd="" if name == "cwd" else "/kept")
