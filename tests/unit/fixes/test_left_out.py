"""Statements that are left out or made now and then."""

from __future__ import annotations

import pytest

from tests.unit.fixes.check import check_advice, check_fix, check_none

CALLS = [("empty-cache", "torch.cuda.empty_cache()"), ("gc-in-step", "gc.collect()")]


@pytest.mark.parametrize(("rule", "call"), CALLS)
def test_a_call_goes_with_its_line(rule: str, call: str) -> None:
    check_fix(
        rule,
        f"for x in d:\n    f(x)\n    {call}  # <--\n    # then\n    g(x)\n",
        "for x in d:\n    f(x)\n    # then\n    g(x)\n",
    )
    check_fix(
        rule,
        f"for x in d:\n    if x:\n        {call}  # <--\n    g(x)\n",
        "for x in d:\n    if x:\n        pass\n    g(x)\n",
    )


@pytest.mark.parametrize(("rule", "call"), CALLS)
@pytest.mark.parametrize("text", ["f(); {}", "y = {}", "if x: {}"])
def test_a_call_in_company_is_said_in_words(rule: str, call: str, text: str) -> None:
    check_advice(rule, f"for x in d:\n    {text.format(call)}  # <--\n", "out of the step")


@pytest.mark.parametrize(("rule", "call"), CALLS)
def test_a_line_without_the_call_gets_nothing(rule: str, call: str) -> None:
    check_none(rule, f"for x in d:\n    f(x)  # <--\n    {call}\n")


def test_a_log_is_written_now_and_then() -> None:
    check_fix(
        "log-every-step",
        "for i, x in enumerate(d):\n    print(i, x)  # <--\n    g(x)\n",
        "for i, x in enumerate(d):\n    if i % 50 == 0:\n        print(i, x)\n    g(x)\n",
    )
    check_advice("log-every-step", "for x in d:\n    print(x)  # <--\n", "every 50 steps")
    check_none("log-every-step", "for x in d:\n    g(x)  # <--\n")


CLONE = "def f(x):\n    y = x.clone()  # <--\n    return torch.relu(y){}\n"


def test_a_needless_copy_is_left_out() -> None:
    check_fix(
        "redundant-clone",
        CLONE.format(""),
        CLONE.format("").replace("x.clone()  # <--", "x"),
    )
    check_none("redundant-clone", CLONE.format(" + y.add_(1)"))
