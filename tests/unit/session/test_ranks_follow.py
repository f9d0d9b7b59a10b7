"""What the ranks of a run say, in which order, and what comes of it."""

from __future__ import annotations

import queue
from pathlib import Path
from typing import Any, cast

import pytest

from stepscope.session.follow import Crashed
from stepscope.session.model import (
    CancelToken,
    Failure,
    FailureKind,
    Limits,
    Phase,
    ProfileRequest,
    Progress,
)
from stepscope.session.ranks import Lines, RanksProcess
from stepscope.session.ranks_follow import RanksFollower

TARGET = Path("/home/me/train.py")
GONE = "[pair.cc:553] Connection closed by peer [127.0.0.1]:1"


class Ranks:
    """Stands for two running ranks: what they say was put into ``events``."""

    count = 2

    def __init__(self) -> None:
        self.events: queue.Queue[tuple[str, Any]] = queue.Queue()
        self.closed = False
        self.asked: list[dict[str, Any]] = []  # the answers to where they are

    def say(self, kind: str, rank: int | None = None, **fields: Any) -> None:
        who = {} if rank is None else {"rank": rank}
        self.events.put(("message", {"kind": kind, **who, **fields}))

    def step(self, rank: int, step: int, phase: str = "measuring", name: str = "clean") -> None:
        self.say("progress", rank, phase=phase, step=step, total=9, **{"pass": name})

    def ended(self, rank: int, ticks: int, code: str | None = None) -> None:
        counts = dict.fromkeys(("module", "backward", "optimizer", "framework", "explicit"), 0)
        self.say("ended", rank, ticks=ticks, code=code, site=[str(TARGET), 9], torch=True,
                 counts=counts, boundary="optimizer", loop=True, defined=[])  # fmt: skip

    def raised(self, rank: int, message: str, ticks: int = 4) -> None:
        chain = [{"types": ["builtins.RuntimeError"], "message": message, "attributes": {}}]
        self.say("raised", rank, process="main", site=[str(TARGET), 12], ticks=ticks, chain=chain)

    def died(self, *statuses: tuple[int, int]) -> None:
        self.say("ranks-died", statuses=[list(pair) for pair in statuses])

    def exit(self, status: int) -> None:
        self.events.put(("exit", status))

    def ask_where(self) -> None:
        for answer in self.asked:
            self.say("where", **answer)

    def close(self, _grace_s: float) -> None:
        self.closed = True

    def error_tail(self, _rank: int | None = None) -> str:
        return ""

    def output_tail(self, rank: int | None = None) -> str:
        return f"the last of {rank}\n"


@pytest.fixture
def ranks() -> Ranks:
    return Ranks()


def follow(
    ranks: Ranks, progress: list[Progress] | None = None, **limits: float
) -> dict[str, Any] | None:
    request = ProfileRequest(TARGET, limits=Limits(**limits), processes=2)
    shown = [] if progress is None else progress
    follower = RanksFollower(
        cast(RanksProcess, ranks), request, "python", shown.append, CancelToken()
    )
    return follower.follow()


def failure(ranks: Ranks, **limits: float) -> Failure:
    with pytest.raises(Failure) as caught:
        follow(ranks, None, **limits)
    assert ranks.closed or caught.value.kind is FailureKind.TIMED_OUT
    return caught.value


def test_it_has_ended_when_every_rank_has_its_capture(ranks: Ranks) -> None:
    shown: list[Progress] = []
    for step in (1, 2):
        for rank in (1, 0):
            ranks.step(rank, step)
    for rank in (1, 0):
        ranks.say("measured", rank)
        ranks.say("captured", rank, process="main")
    assert follow(ranks, shown) is None
    assert shown == [Progress(Phase.MEASURING, 1, 9), Progress(Phase.MEASURING, 2, 9)]


def test_a_rank_without_a_capture_does_not_take_the_others_away(ranks: Ranks) -> None:
    ranks.step(0, 1)
    ranks.say("captured", 1, process="main")
    ranks.ended(0, ticks=3)
    ranks.exit(0)
    assert follow(ranks) is None


def test_nobody_waits_for_ever_for_the_last_capture(ranks: Ranks) -> None:
    ranks.step(0, 1)
    ranks.say("captured", 1, process="main")
    assert follow(ranks, step_s=0.05) is None


def test_a_rank_that_raises_is_told_of_with_its_line(ranks: Ranks) -> None:
    ranks.raised(1, "no more data")
    found = failure(ranks)
    assert found.message == (
        "Rank 1 of 2: train.py raised RuntimeError at train.py:12 after 4 steps: no more data"
    )
    assert (found.kind, found.line) == (FailureKind.TARGET_FAILED, 12)


@pytest.mark.parametrize("noticed_first", [True, False])
def test_the_cause_counts_and_not_who_notices_it(ranks: Ranks, noticed_first: bool) -> None:
    if noticed_first:
        ranks.raised(0, GONE)
    ranks.raised(1, "no more data")
    assert failure(ranks).message.startswith("Rank 1 of 2: train.py raised")


def test_a_killed_rank_is_the_cause_of_what_the_other_raises(ranks: Ranks) -> None:
    ranks.raised(0, GONE)
    ranks.died((0, 1), (1, -9))
    assert failure(ranks).message == (
        "Rank 1 of 2: train.py was ended by SIGKILL. The system does that to a process that takes "
        "too much memory."
    )


def test_who_notices_is_told_of_where_no_cause_is_known(ranks: Ranks) -> None:
    ranks.raised(0, GONE)
    ranks.died((0, 1))
    assert failure(ranks).message.startswith("Rank 0 of 2: train.py raised RuntimeError at")


def test_it_ends_also_where_nothing_more_is_heard(
    ranks: Ranks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stepscope.session.ranks_follow._LAST_WORDS_S", 0.05)
    ranks.raised(0, GONE)
    assert failure(ranks).message.startswith("Rank 0 of 2: train.py raised RuntimeError at")


def test_a_rank_that_exits_by_itself(ranks: Ranks) -> None:
    ranks.ended(1, ticks=4, code="5")
    ranks.raised(0, GONE)
    ranks.died((1, 5))
    assert failure(ranks).message == (
        "Rank 1 of 2: train.py called exit(5) at train.py:9 before enough steps were seen. Its "
        'last line of output: "the last of 1".'
    )


def test_a_rank_that_leaves_without_a_word(ranks: Ranks) -> None:
    ranks.died((1, 3), (0, -15))
    assert failure(ranks).message == (
        "Rank 1 of 2: train.py ended its process with status 3 before enough steps were seen. Its "
        'last line of output: "the last of 1".'
    )


def test_a_crash_says_in_which_pass_the_rank_was(ranks: Ranks) -> None:
    ranks.step(1, 2, "capturing", "mapped")
    ranks.died((1, -11))
    with pytest.raises(Crashed) as caught:
        follow(ranks)
    assert caught.value.passing == "mapped"
    assert caught.value.failure.message == "Rank 1 of 2: train.py crashed in native code (SIGSEGV)."


def test_ranks_that_end_by_themselves_count_as_far_as_the_shortest(ranks: Ranks) -> None:
    ranks.ended(0, ticks=12)
    ranks.ended(1, ticks=11)
    ranks.exit(0)
    ended = follow(ranks)
    assert ended is not None
    assert (ended["rank"], ended["ticks"]) == (1, 11)


def test_torchrun_itself_fails(ranks: Ranks) -> None:
    chain = [{"types": ["builtins.ModuleNotFoundError", "builtins.ImportError"],
              "message": "No module named 'torch'", "attributes": {"name": "torch"}}]  # fmt: skip
    ranks.say("raised", process="main", site=None, ticks=0, chain=chain)
    assert failure(ranks).message == (
        "torch is not installed in python; install it there or choose another interpreter."
    )


def test_torchrun_is_killed(ranks: Ranks) -> None:
    ranks.exit(-9)
    assert failure(ranks).message.startswith("train.py was ended by SIGKILL.")


def test_ranks_that_stand_still_are_asked_where(ranks: Ranks) -> None:
    counts = {"optimizer": 3}
    ranks.step(0, 1)
    ranks.asked = [
        {"rank": 1, "site": [str(TARGET.with_name("data.py")), 30], "counts": counts},
        {"rank": 0, "site": [str(TARGET), 12], "counts": counts},
    ]
    found = failure(ranks, step_s=0.05)
    assert found.message == (
        "train.py made no further step within 0.05 s; rank 0 was at train.py:12, rank 1 was at "
        "data.py:30. A longer limit can be set (setting stepscope.stepTimeout, or --step-timeout)."
    )


@pytest.mark.parametrize(
    ("chunks", "written"),
    [
        ([b"one\ntwo\n"], b"[r] one\n[r] two\n"),
        ([b"o", b"ne", b"\nt", b"wo\n"], b"[r] one\n[r] two\n"),
        ([b"10 %\r20 %\r"], b"[r] 10 %\r[r] 20 %\r"),
        ([b"no end"], b"[r] no end\n"),
        ([b"\n\n"], b"[r] \n[r] \n"),
        ([b"", b"\xff\xfe\n"], b"[r] \xff\xfe\n"),
        ([b"x" * 70_000, b"y\n"], b"[r] " + b"x" * 70_000 + b"\n[r] y\n"),
    ],
)
def test_every_line_says_whose_it_is(chunks: list[bytes], written: bytes) -> None:
    lines = Lines(b"[r] ")
    assert b"".join(map(lines.add, chunks)) + lines.rest() == written
