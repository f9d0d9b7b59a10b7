"""What the ends of child processes mean for the run."""

from __future__ import annotations

from typing import Any

import pytest

from stepscope.agent.errors import describe
from stepscope.session.children import Children
from stepscope.session.failures import Told
from stepscope.session.model import Failure, ProfileRequest
from tests.unit.session.records import PYTHON, TARGET

TOLD = Told(ProfileRequest(TARGET), PYTHON)
NONE = {"module": 0, "backward": 0, "optimizer": 0}


def ended(kind: str = "ended", ticks: int = 0, **fields: Any) -> dict[str, Any]:
    own = {"torch": ticks > 0, "boundary": None, "counts": {**NONE, "backward": ticks}}
    return {"kind": kind, "ticks": ticks, "code": None, "site": None, **own, **fields}


def raised(kind: str, error: Exception, line: int, process: str = "main") -> dict[str, Any]:
    told = describe(error, lambda _: False)
    return {"kind": kind, "process": process, "site": [str(TARGET), line], "ticks": 0, **told}


CHILD = raised("child-raised", ValueError("too long"), 7, "Process-1 (pid 5), started by fork")
TEXT = (
    "train.py, in the child process Process-1 (pid 5), started by fork, raised ValueError at "
    "train.py:7 before its first step: too long"
)


def test_a_childs_steps_count_like_the_main_processs_own() -> None:
    children = Children()
    assert children.heard(ended("child-ended", 3))
    assert children.heard(ended("child-ended", 9))
    found = children.joined(ended(), TOLD)
    assert (found["kind"], found["ticks"], found["counts"]["backward"]) == ("ended", 9, 9)
    assert found["torch"]


def test_the_main_processs_own_steps_come_first() -> None:
    children = Children()
    children.heard(ended("child-ended", 9))
    children.heard(CHILD)
    assert children.joined(ended(ticks=4), TOLD)["ticks"] == 4


def test_what_a_child_raised_is_told_with_its_line_and_its_process() -> None:
    children = Children()
    assert children.heard(CHILD)
    assert children.heard(raised("child-raised", RuntimeError("connection closed"), 9, "another"))
    with pytest.raises(Failure) as failed:
        children.joined(ended(), TOLD)
    assert (failed.value.message, failed.value.line) == (TEXT, 7)


def test_it_is_the_cause_of_what_the_main_process_raises_after_it() -> None:
    children = Children()
    own = raised("raised", RuntimeError("process 0 terminated"), 20)
    assert children.cause(own) is own
    children.heard(CHILD)
    cause = children.cause(own)
    assert (cause["kind"], cause["site"][1]) == ("raised", 7)
    fault = {"kind": "fault", "text": "broken"}
    assert children.cause(fault) is fault


def test_other_messages_are_none_of_the_childrens() -> None:
    assert not Children().heard(ended())
