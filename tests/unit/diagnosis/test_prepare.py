"""Facts are prepared family by family; one that fails takes no other with it."""

from __future__ import annotations

from typing import Any

import pytest

from stepscope.attribution.attribute import Attributed, attribute
from stepscope.diagnosis import prepare
from stepscope.diagnosis.facts.matmul import MatmulFacts
from stepscope.diagnosis.facts.syncs import Syncs
from tests.timelines import Tape


def attributed() -> Attributed:
    tape = Tape(0, 1000, 2000)
    tape.line(0, 1)
    return attribute(tape.timeline())


def test_what_was_not_measured_is_none() -> None:
    facts = prepare.prepare_facts(attributed())
    assert facts.measured(MatmulFacts) is None
    assert facts.measured(Syncs) == Syncs(())
    assert facts.failed == ()


def test_a_family_that_fails_is_named_and_the_others_are_there(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_: Attributed) -> Any:
        raise KeyError("its own mistake")

    families = {"broken": broken, "fine": lambda _: Syncs(()), "absent": lambda _: None}
    monkeypatch.setattr(prepare, "discover_families", lambda: families)
    facts = prepare.prepare_facts(attributed())
    assert facts.failed == ("broken",)
    assert facts.families == (Syncs(()),)
    assert "its own mistake" in caplog.text
