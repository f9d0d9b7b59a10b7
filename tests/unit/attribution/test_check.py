"""The self-check: silent on sound profiles, and it finds each planted contradiction."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from stepscope.attribution.check import self_check
from stepscope.attribution.model import Breakdown, LineCost, Profile, Unattributed, Waits
from tests import factories


def changed(profile: Profile, index: int = 0, **fields: Any) -> Profile:
    """The profile with fields of one line replaced."""
    lines = list(profile.lines)
    lines[index] = dataclasses.replace(lines[index], **fields)
    return dataclasses.replace(profile, lines=tuple(lines))


def on_a_device(profile: Profile) -> Profile:
    """The same step with an accelerator that idles for as long as each line's cost is not work."""
    lines = [
        dataclasses.replace(
            line,
            work_ms=line.cost_ms / 2,
            forward_ms=line.cost_ms / 2,
            backward_ms=0.0,
            device_idle_ms=line.cost_ms / 2,
        )
        for line in profile.lines
    ]
    return dataclasses.replace(profile, lines=tuple(lines))


@pytest.mark.parametrize("make", [lambda profile: profile, on_a_device])
def test_a_sound_profile_has_no_problem(make: Any) -> None:
    assert self_check(make(factories.profile())) == []


def test_time_without_a_line_counts_towards_the_step() -> None:
    rest = Unattributed(host_ms=30.0, work_ms=1.0, cost_ms=30.0)
    assert self_check(factories.profile(lines=(), unattributed=rest)) == []


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"host_ms": 90.0}, "host times (ms) add up to"),
        ({"cost_ms": 90.0}, "costs (ms) add up to"),
        ({"forward_ms": 90.0}, "forward and backward (ms) add up to"),
        ({"backward_ms": -1.0}, "backward_ms is negative"),
        ({"wait_ms": Waits(data=10.0, sync=10.0)}, "it waits for 20.0 of"),
    ],
)
def test_a_line_that_contradicts_itself_is_found(fields: dict[str, Any], words: str) -> None:
    problems = self_check(changed(factories.profile(), **fields))
    assert any(words in problem for problem in problems), problems


def test_a_device_that_neither_works_nor_idles_is_found() -> None:
    problems = self_check(changed(on_a_device(factories.profile()), device_idle_ms=0.0))
    assert any("work and idle" in problem for problem in problems), problems


def test_shares_that_are_no_whole_are_found() -> None:
    shares = Breakdown(0.5, 0.2, 0.1, 0.1, 0.0, 0.0, 0.0, 0.0, 0.2)
    assert self_check(factories.profile(breakdown=shares)) == [
        "shares of the breakdown add up to 1.1000, not 1.0000"
    ]


def test_categories_that_are_not_the_peak_are_found() -> None:
    memory = factories.memory(100, categories=factories.categories(parameter=99))
    problems = self_check(factories.profile(lines=held(0), memory=memory))
    assert problems == ["categories at the peak (bytes) add up to 99.0000, not 100.0000"]


def test_lines_that_hold_more_than_there_was_are_found() -> None:
    memory = factories.memory(100, categories=factories.categories(activation=100))
    problems = self_check(factories.profile(lines=held(101), memory=memory))
    assert problems == ["lines hold 101 bytes at a peak of 100"]


def held(size: int) -> tuple[LineCost, ...]:
    return (factories.line(11, 30.0, live_at_peak_bytes=size),)


def test_without_a_clock_only_memory_is_checked() -> None:
    assert self_check(factories.memory_only().profile) == []
    too_much = factories.memory_only([factories.line(1, live_at_peak_bytes=151_000_000)])
    (problem,) = self_check(too_much.profile)
    assert problem == "lines hold 201000000 bytes at a peak of 200000000"
