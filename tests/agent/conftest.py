"""Fixtures of the agent's tests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from tests.agent.planting import Program
from tests.agent.running import Run, quick, run

# Programs of users, some of which come with tests of their own.
collect_ignore = ["corpus", "foreign", "modelonly"]

# Files in the order in which workers take them up: two that keep every core busy, one that mostly
# waits, at the end only short ones, so that no worker is left with a long one. The rest follows.
_ORDER = ["test_foreign", "test_corpus", "test_bad_input", "test_frameworks", "test_children",
          "test_stopping", "test_modelonly", "test_samples", "test_first_run"]  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    def place(item: pytest.Item) -> int:
        return _ORDER.index(item.path.stem) if item.path.stem in _ORDER else len(_ORDER)

    items.sort(key=place)


@pytest.fixture(scope="session", autouse=True)
def quiet_machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Targets run on one thread each, since more only fight, and with a cache of our own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OMP_NUM_THREADS", "1")
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


class Corpus:
    """Runs each program once, two at a time, in the order in which they will be asked for."""

    def __init__(self, pool: ThreadPoolExecutor, wanted: list[Program]) -> None:
        self._runs: dict[str, Future[Run]] = {
            program.name: pool.submit(run, quick(program.path)) for program in wanted
        }

    def run(self, program: Program) -> Run:
        """The program's run. Raises what the run raised."""
        return self._runs[program.name].result()


@pytest.fixture(scope="session")
def corpus(request: pytest.FixtureRequest, quiet_machine: None) -> Iterator[Corpus]:
    wanted: dict[str, Program] = {}
    for item in request.session.items:
        callspec = getattr(item, "callspec", None)
        program = callspec.params.get("program") if callspec is not None else None
        if isinstance(program, Program):
            wanted.setdefault(program.name, program)
    workers = min(2, os.cpu_count() or 1)
    with ThreadPoolExecutor(workers) as pool:
        yield Corpus(pool, list(wanted.values()))
        pool.shutdown(cancel_futures=True)
