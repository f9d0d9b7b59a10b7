"""Edits of copies: asynchronous, without pinning, without a detour over the host."""

from __future__ import annotations

import pytest

from tests.unit.fixes.check import check_advice, check_fix, check_none

LOOP = "for x in loader:\n    {}  # <--\n"


def line(text: str) -> str:
    return LOOP.format(text)


def fixed_line(text: str) -> str:
    return LOOP.format(text).replace("  # <--", "")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = x.to(device)", "x = x.to(device, non_blocking=True)"),
        ("x = x.to(device=d)", "x = x.to(device=d, non_blocking=True)"),
        ("x = x.cuda()", "x = x.cuda(non_blocking=True)"),
        ("buffer.copy_(x)", "buffer.copy_(x, non_blocking=True)"),
        (
            "x, y = x.to(d), y.to(d)",
            "x, y = x.to(d, non_blocking=True), y.to(d, non_blocking=True)",
        ),
        (
            "x, y = x.to(d, non_blocking=True), y.to(d)",
            "x, y = x.to(d, non_blocking=True), y.to(d, non_blocking=True)",
        ),
    ],
)
def test_copies_become_asynchronous(before: str, after: str) -> None:
    check_fix("blocking-copy", line(before), fixed_line(after))


@pytest.mark.parametrize(
    "text", ["x = x.to(*where)", "x = x.to(**where)", "x = x.to(d, torch.half, False)"]
)
def test_copies_whose_arguments_are_not_all_there_are_said_in_words(text: str) -> None:
    check_advice("blocking-copy", line(text), "non_blocking=True")


def test_a_line_without_a_copy_gets_nothing() -> None:
    check_none("blocking-copy", line("x = f(x)"))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = x.pin_memory().to(device)", "x = x.to(device)"),
        ("x = f(x.pin_memory().cuda(), 1)", "x = f(x.cuda(), 1)"),
    ],
)
def test_pinning_before_a_copy_is_left_out(before: str, after: str) -> None:
    check_fix("pin-in-loop", line(before), fixed_line(after))


@pytest.mark.parametrize("text", ["x = x.pin_memory()", "x = (x).pin_memory().to(d)"])
def test_pinning_that_stands_elsewhere_is_said_in_words(text: str) -> None:
    check_advice("pin-in-loop", line(text), "pin_memory=True")


def test_a_line_without_pinning_gets_nothing() -> None:
    check_none("pin-in-loop", line("x = x.to(d)"))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("m = torch.zeros(3, 4).to(device)", "m = torch.zeros(3, 4, device=device)"),
        (
            "m = torch.ones(n, dtype=t).to(x.device)",
            "m = torch.ones(n, dtype=t, device=x.device)",
        ),
        ("m = torch.arange(n).cuda()", 'm = torch.arange(n, device="cuda")'),
        ('m = torch.eye(n).to("cuda:1")', 'm = torch.eye(n, device="cuda:1")'),
        ("f(torch.full((n,), 1).to(dev), 2)", "f(torch.full((n,), 1, device=dev), 2)"),
    ],
)
def test_tensors_are_made_on_the_device(before: str, after: str) -> None:
    check_fix("cpu-made-tensor", line(before), fixed_line(after))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("m = torch.randn(n).to(device)", "other numbers"),
        ("m = torch.zeros(*n).to(device)", "on the device"),
        ("m = torch.zeros(n).to(device, torch.half)", "on the device"),
        ("m = torch.zeros(n); m = m.to(device)", "on the device"),
    ],
)
def test_tensors_that_cannot_be_made_there_safely_are_said_in_words(text: str, words: str) -> None:
    check_advice("cpu-made-tensor", line(text), words)


def test_a_tensor_that_is_made_there_already_gets_nothing() -> None:
    check_none("cpu-made-tensor", line("m = torch.zeros(n, device=device)"))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("y = x.type(torch.LongTensor).to(d)", "y = x.type(torch.int64).to(d)"),
        ("y = x.type('torch.FloatTensor').cuda()", "y = x.type(torch.float32).cuda()"),
    ],
)
def test_types_are_changed_where_the_tensor_is(before: str, after: str) -> None:
    check_fix("type-round-trip", line(before), fixed_line(after))


def test_a_result_that_may_be_meant_for_the_host_is_said_in_words() -> None:
    check_advice("type-round-trip", line("y = x.type(torch.LongTensor)"), "torch.int64")
    check_advice("type-round-trip", line("y = f(x.cpu()).to(d)"), "without .cpu()")
    check_none("type-round-trip", line("y = x.type(torch.long).to(d)"))
