"""explicit-synchronize: the call goes with its line, unless a clock or a neighbour needs it."""

from __future__ import annotations

import pytest

from tests.unit.fixes.check import check_advice, check_fix, fixed

RULE = "explicit-synchronize"


def test_a_synchronize_goes_with_its_line() -> None:
    check_fix(
        RULE,
        "for x in d:\n    f(x)\n    torch.cuda.synchronize()  # <--\n    # then\n    g(x)\n",
        "for x in d:\n    f(x)\n    # then\n    g(x)\n",
    )


def test_a_synchronize_at_the_end_of_a_file_without_a_last_line_break() -> None:
    assert fixed(RULE, "while 1:\n  f()\n  torch.cuda.synchronize()", 3) == "while 1:\n  f()\n"


def test_a_comment_behind_a_synchronize_is_kept() -> None:
    text = "for x in d:\n    f(x)\n    torch.cuda.synchronize(dev)  # let it cool\n    g(x)\n"
    expected = "for x in d:\n    f(x)\n    # let it cool\n    g(x)\n"
    assert fixed(RULE, text, 3) == expected


def test_a_block_of_nothing_but_a_synchronize_keeps_a_statement() -> None:
    check_fix(
        RULE,
        "for x in d:\n    if debug:\n        torch.cuda.synchronize()  # <--\n    g(x)\n",
        "for x in d:\n    if debug:\n        pass\n    g(x)\n",
    )


@pytest.mark.parametrize(
    "source",
    [
        "while 1:\n    torch.cuda.synchronize()  # <--\n    end = time.time()\n",
        "while 1:\n    start = perf_counter()\n    torch.cuda.synchronize()  # <--\n    f()\n",
        "while 1:\n    f(); torch.cuda.synchronize()  # <--\n",
        "if x: torch.cuda.synchronize()  # <--\n",
        "while 1:\n    event.wait() or s.synchronize()  # <--\n",
    ],
)
def test_a_synchronize_with_a_purpose_or_company_stays(source: str) -> None:
    check_advice(RULE, source, "Leave the synchronisation out")
