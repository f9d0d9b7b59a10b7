from __future__ import annotations

import os
import statistics
import time
from pathlib import Path

import pytest

from stepscope.editor.hover import describe_line
from stepscope.editor.staleness import Place
from stepscope.editor.store import FileView, ReportStore, file_key
from stepscope.session.model import Failure, FailureKind
from tests import factories as make

HELPER = "/project/helper.py"


def store_of(*targets: str) -> ReportStore:
    """Reports of ``targets``, each of which also ran the helper; the nth costs n ms on line 1."""
    store = ReportStore()
    for number, target in enumerate(targets, 1):
        lines = [make.line(1, float(number), file=path) for path in (target, HELPER)]
        store.add(
            make.report(
                lines,
                [],
                run=make.run_info(target=target),
                sources={target: "work()\n", HELPER: "help()\n"},
            )
        )
    return store


def view(store: ReportStore, path: str) -> FileView:
    found = store.view(path)
    assert found is not None
    return found


def test_a_file_of_several_reports_shows_the_newest() -> None:
    assert view(store_of("/a.py", "/b.py"), HELPER).costs[1].cost_ms == 2.0
    assert view(store_of("/a.py", "/b.py", "/a.py"), HELPER).costs[1].cost_ms == 3.0


def test_a_new_report_replaces_the_targets_old_one() -> None:
    store = store_of("/a.py")
    store.add(make.report(run=make.run_info(target="/a.py"), lines=[], findings=[]))
    assert store.view(HELPER) is None


def test_clear_forgets_every_report_that_knows_the_file() -> None:
    store = store_of("/a.py", "/b.py")
    store.clear("/a.py")
    assert store.view("/a.py") is None
    assert view(store, HELPER).costs[1].cost_ms == 2.0
    store.clear(HELPER)
    assert store.paths() == {}


def test_clear_without_a_file_forgets_all() -> None:
    store = store_of("/a.py")
    store.add_failure("/b.py", Failure(FailureKind.TARGET_FAILED, "no", "/b.py", 1))
    store.clear(None)
    assert store.paths() == {}
    assert store.failures_in("/b.py") == []


def test_a_failure_lasts_until_the_target_runs_again() -> None:
    store = ReportStore()
    failure = Failure(FailureKind.TARGET_FAILED, "no", HELPER, 3)
    store.add_failure("/a.py", failure)
    assert [mark.failure for mark in store.failures_in(HELPER)] == [failure]
    assert store.clear_failure("/b.py") is None
    assert store.clear_failure("/a.py") == HELPER
    assert store.failures_in(HELPER) == []


def test_a_failure_without_a_place_is_not_marked() -> None:
    store = ReportStore()
    store.add_failure("/a.py", Failure(FailureKind.NO_STEP, "no step"))
    assert store.paths() == {}


def test_a_file_has_one_key_under_all_its_names(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    try:
        link.symlink_to(real, target_is_directory=True)
    except OSError:
        pytest.skip("no symbolic links here")
    assert file_key(str(link / "a.py")) == file_key(str(real / "a.py"))
    assert file_key(str(real / ".." / "real" / "a.py")) == file_key(os.fspath(real / "a.py"))


def test_a_file_without_measured_text_is_taken_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "big.py"
    path.write_text("a\n", encoding="utf-8")
    store = ReportStore()
    store.add(make.report([make.line(1, 3.0, file=str(path))], [], sources={}))
    assert view(store, str(path)).line_at("a\n", 1) is not None
    assert view(store, str(path)).line_at("b\nc\nd\n", 3) is None


def test_a_file_of_another_machine_is_in_no_view(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The server's own folder holds a file of the name that was recorded.
    (tmp_path / "train.py").write_text("mine\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    store = ReportStore()
    lines = [make.line(1, 3.0, file=file) for file in ("train.py", "/gone.py")]
    assert store.add(make.report(lines, [], sources={}), origin="/trace.json") == []
    assert store.paths() == {}


def test_a_recording_stands_beside_the_run_of_the_same_target() -> None:
    store = store_of("/a.py")
    recorded = make.report([make.line(1, 9.0, file=HELPER)], [], sources={HELPER: "help()\n"})
    assert store.add(recorded, origin="/trace.json") == [HELPER]
    assert view(store, HELPER).costs[1].cost_ms == 9.0
    assert view(store, "/a.py").costs[1].cost_ms == 1.0
    store.clear("/trace.json")
    assert view(store, HELPER).costs[1].cost_ms == 1.0


def test_hints_are_placed_only_while_their_statement_is_whole() -> None:
    source = "x = 1\ny = f(\n    x,\n)\n"
    finding = make.finding(2, end_line=4)
    store = ReportStore()
    store.add(make.report([], [(finding, None)], sources={make.TARGET: source}))
    found = view(store, make.TARGET)
    assert [hint[:2] for hint in found.placed_hints("\n" + source)] == [(3, 5)]
    assert found.placed_hints(source.replace("    x,", "    x, 1,")) == []


def test_a_large_report_answers_at_once() -> None:
    source = "".join(f"x{n} = torch.mm(x{n - 1}, y)\n" for n in range(5000))
    lines = [make.line(n, 0.3, ops=(make.op(),) * 5) for n in range(1, 5001)]
    store = ReportStore()
    store.add(make.report(lines, [], sources={make.TARGET: source}))
    current = "# new\n" + source.replace("x77 =", "x77  =").replace("x4000 =", "x4000  =")
    found = view(store, make.TARGET)
    found.line_at(current, 1)  # an edit costs one diff, the answers after it nothing
    took: list[float] = []
    for line in range(2, 5001, 50):
        start = time.perf_counter()
        placed = found.line_at(current, line)
        assert placed is not None
        assert placed[0] == Place(line, changed=line in (79, 4002))
        describe_line(found, placed[1], stale=placed[0].changed)
        took.append(time.perf_counter() - start)
    assert statistics.median(took) < 0.010
