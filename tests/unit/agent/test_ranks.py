"""Ranks: who they are, what they plan, how they come to an end together."""

from __future__ import annotations

import itertools
import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from stepscope.agent import ranks
from stepscope.agent.plan import plan_together, plan_within
from stepscope.agent.ranks import Rank, place_in, run_id_in

PLACE = {"rank": 1, "world_size": 4, "local_rank": 0, "local_size": 1}


def rank(folder: Path, number: int, size: int = 2, run_id: str = "a") -> Rank:
    one = Rank(
        {"rank": number, "world_size": size, "local_rank": number, "local_size": size,
         "run_id": run_id, "folder": str(folder)}
    )  # fmt: skip
    one.begin("/train.py", "2026-01-01T00:00:00+00:00")
    return one


@pytest.mark.parametrize(
    ("environment", "place"),
    [
        pytest.param({}, None, id="no launcher"),
        pytest.param({"LOCAL_RANK": "1", "RANK": "1"}, None, id="a rank of nothing"),
        pytest.param(
            {"RANK": "5", "WORLD_SIZE": "8", "LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "4",
             "SLURM_PROCID": "0", "SLURM_NTASKS": "2"},
            {"rank": 5, "world_size": 8, "local_rank": 1, "local_size": 4},
            id="torchrun inside of srun",
        ),
        pytest.param(
            {"SLURM_PROCID": "3", "SLURM_NTASKS": "4", "SLURM_LOCALID": "1",
             "SLURM_NTASKS_PER_NODE": "2"},
            {"rank": 3, "world_size": 4, "local_rank": 1, "local_size": 2},
            id="srun",
        ),
        pytest.param(
            {"SLURM_PROCID": "1", "SLURM_NTASKS": "4", "SLURM_LOCALID": "0",
             "SLURM_NTASKS_PER_NODE": "1(x4)"},
            PLACE,
            id="srun in words",
        ),
        pytest.param(
            {"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "4",
             "OMPI_COMM_WORLD_LOCAL_RANK": "0", "OMPI_COMM_WORLD_LOCAL_SIZE": "1"},
            PLACE,
            id="mpirun",
        ),
    ],
)  # fmt: skip
def test_the_launcher_tells_who_this_is(
    environment: dict[str, str], place: dict[str, int] | None
) -> None:
    assert place_in(environment) == place


@pytest.mark.parametrize("environment", [
    {"RANK": "two", "WORLD_SIZE": "4"}, {"RANK": "4", "WORLD_SIZE": "4"},
    {"RANK": "-1", "WORLD_SIZE": "4"},
])  # fmt: skip
def test_a_rank_that_cannot_be_is_refused(environment: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="RANK="):
        place_in(environment)


def test_ranks_of_a_run_have_its_number_and_other_runs_have_another() -> None:
    torchrun = {"TORCHELASTIC_RUN_ID": "7", "MASTER_ADDR": "a", "MASTER_PORT": "1"}
    slurm = {"SLURM_JOB_ID": "7", "SLURM_STEP_ID": "0"}
    restarted = {**torchrun, "TORCHELASTIC_RESTART_COUNT": "1"}
    numbers = [
        run_id_in({**environment, "RANK": number})
        for environment in (torchrun, slurm, {**slurm, "SLURM_STEP_ID": "1"}, restarted)
        for number in ("0", "1")
    ]
    assert numbers[0::2] == numbers[1::2]
    assert len(set(numbers)) == 4


def test_a_manifest_tells_of_a_rank_from_its_start_to_its_end(tmp_path: Path) -> None:
    (tmp_path / "rank00001.capture").write_text("of an earlier run")
    one = rank(tmp_path, 1)
    assert not (tmp_path / "rank00001.capture").exists()
    manifest = tmp_path / "rank00001.json"
    told: dict[str, Any] = json.loads(manifest.read_text())
    assert (told["rank"], told["world_size"], told["run_id"], told["state"]) == (
        1, 2, "a", "running",
    )  # fmt: skip
    one.tell("failed")
    assert json.loads(manifest.read_text()) == {**told, "state": "failed"}
    assert list(tmp_path.iterdir()) == [manifest]


def test_ranks_stop_when_the_last_one_has_its_capture(tmp_path: Path) -> None:
    first, last = rank(tmp_path, 0), rank(tmp_path, 1)
    stopped: list[bool] = []
    waiting = threading.Thread(target=lambda: stopped.append(first.finish()))
    waiting.start()
    assert last.finish()  # the other one has told that it is done, or is about to
    waiting.join(10.0)
    assert stopped == [True]
    assert {json.loads(path.read_text())["state"] for path in tmp_path.glob("*.json")} == {
        "recorded"
    }


@pytest.mark.parametrize("end", ["failed", "ended"])
def test_nobody_waits_for_a_rank_that_is_gone(tmp_path: Path, end: str) -> None:
    first, last = rank(tmp_path, 0), rank(tmp_path, 1)
    last.tell(end)
    assert first.finish()


def test_nobody_waits_for_ranks_of_another_run(tmp_path: Path) -> None:
    rank(tmp_path, 1, run_id="an earlier one")
    rank(tmp_path, 2)  # beyond this run's ranks
    (tmp_path / "rank00003.json").write_text("{not json")
    assert rank(tmp_path, 0, size=2).finish()


def test_a_rank_goes_on_when_another_one_needs_its_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other makes fewer steps per pass: standing still would hold it up for ever."""
    monkeypatch.setattr(ranks, "PATIENCE_S", 0.0)
    ended = threading.Event()
    monkeypatch.setattr(os, "_exit", lambda _status: ended.set())
    first, last = rank(tmp_path, 0), rank(tmp_path, 1)
    assert not first.finish()
    assert not first.stops()
    assert last.finish()
    assert first.stops()
    for thread in threading.enumerate():
        if thread.name == "stepscope-ranks":
            thread.join(10.0)
            assert not thread.is_alive()
    assert not ended.is_set()  # it came to the end of a step by itself


def test_a_rank_that_hangs_after_its_capture_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranks, "PATIENCE_S", 0.0)
    monkeypatch.setattr(ranks, "_STOP_S", 0.0)
    ended = threading.Event()
    monkeypatch.setattr(os, "_exit", lambda status: ended.set() if not status else None)
    first, last = rank(tmp_path, 0), rank(tmp_path, 1)
    assert not first.finish()
    assert last.finish()
    assert ended.wait(10.0)


def test_the_plan_of_ranks_depends_on_nothing_that_they_do_not_share() -> None:
    assert plan_together(None) == plan_together(None)
    plan = plan_together(2)
    # One more for whole passes; one more under the profiler for ranks that began it apart.
    assert {name: plan.intervals(name) for name in ("clean", "lines", "mapped", "detail")} == {
        "clean": 2, "lines": 4, "mapped": 4, "detail": 3,
    }  # fmt: skip
    assert plan.total() == 13


def test_a_short_script_gets_a_plan_that_fits() -> None:
    for ticks, aligned, settles in itertools.product(range(2, 40), (True, False), (True, False)):
        found = plan_within(ticks, aligned, settles)
        assert found is not None
        warmup, plan = found
        assert warmup + plan.total() <= ticks - 1
    longer, usual = plan_within(30, True, settles=True), plan_within(30, True)
    assert longer is not None
    assert usual is not None
    assert longer[1].total() == usual[1].total() + 2
