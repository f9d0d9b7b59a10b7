"""What the run knows, family by family: one that fails takes no other with it."""

from __future__ import annotations

from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from stepscope.agent import evidence


def family(**functions: Any) -> ModuleType:
    made = ModuleType("family")
    made.__dict__.update(functions)
    return made


def broken(*_: Any) -> Any:
    raise KeyError("gone")


def test_each_family_fails_alone_and_is_then_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    agent: Any = SimpleNamespace(notes=[])
    heard: list[Any] = []
    known = [
        ("broken", family(install=broken, collect=broken)),
        (
            "fine",
            family(install=lambda _, torch: heard.append(torch), collect=lambda _, known: known),
        ),
        ("quiet", family(collect=lambda *_: None)),
    ]
    monkeypatch.setattr(evidence, "_families", lambda: known)
    recorder: Any = "recorder"
    evidence.install(agent, "torch")
    assert heard == ["torch"]
    assert evidence.collect(agent, recorder) == {"broken": None, "fine": recorder, "quiet": None}
    said = (
        "What Stepscope knows of 'broken' could not be looked up (KeyError: 'gone'), "
        "so rules that need it say nothing."
    )
    assert agent.notes == [said, said]
