"""The command line against a pipeline that only says what it was asked."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import stepscope.pipeline
from stepscope.attribution.attribute import Attributed, attribute
from stepscope.cli import main
from stepscope.diagnosis.severities import RuleSettings
from stepscope.report.exports import html
from stepscope.report.exports.analysed import Analysed
from stepscope.report.model import Report
from stepscope.session.model import (
    EXIT_STATUS,
    CancelToken,
    Failure,
    FailureKind,
    FilesAfter,
    Limits,
    NewFile,
    OnFiles,
    OnOutput,
    OnProgress,
    Phase,
    ProfileRequest,
    Progress,
)
from tests import factories as make
from tests.timelines import Tape

Behaviour = Callable[[OnProgress, OnOutput, CancelToken], None]


class Pipeline:
    """Records the request, behaves as told, and returns a report."""

    def __init__(self) -> None:
        self.requests: list[ProfileRequest] = []
        self.behave: Behaviour | None = None
        self.report = make.report()
        self.files = FilesAfter("functions")
        self.rules = RuleSettings()
        self.attributed: Attributed | None = None
        self.gave_events = False

    def __call__(
        self,
        request: ProfileRequest,
        on_progress: OnProgress,
        on_output: OnOutput,
        cancel: CancelToken,
        *,
        rules: RuleSettings,
        on_files: OnFiles,
        on_analysed: Callable[[Analysed], None] | None,
    ) -> Report:
        self.requests.append(request)
        self.rules = rules
        self.gave_events = on_analysed is not None
        if on_analysed is not None:
            on_analysed(Analysed(self.report, self.attributed))
        try:
            if self.behave is not None:
                self.behave(on_progress, on_output, cancel)
        finally:
            on_files(self.files)
        return self.report


@pytest.fixture
def pipeline(monkeypatch: pytest.MonkeyPatch) -> Pipeline:
    fake = Pipeline()
    monkeypatch.setattr(stepscope.pipeline, "profile_target", fake)
    return fake


def fail(kind: FailureKind, message: str = "it did not work.") -> Behaviour:
    def behave(on_progress: OnProgress, on_output: OnOutput, cancel: CancelToken) -> None:
        on_output(b"Traceback: the target's own\n")
        raise Failure(kind, message)

    return behave


def print_an_epoch(on_progress: OnProgress, on_output: OnOutput, cancel: CancelToken) -> None:
    on_progress(Progress(Phase.MEASURING, 1, 2))
    on_output(b"epoch 1\n")


def test_every_option_reaches_the_request(pipeline: Pipeline) -> None:
    arguments = (
        "run --steps 5 --warmup=0 --loop 7 --python /py --cwd /data --timeout 1.5 --ask-after 2 "
        "--step-timeout 3 --grace 4 --cpu --env A=1 --env B=c=d --no-guard --processes 2 "
        "--quiet train.py"
    )
    assert main(arguments.split()) == 0
    assert pipeline.requests == [
        ProfileRequest(
            target=Path("train.py"),
            python="/py",
            cwd=Path("/data"),
            steps=5,
            warmup=0,
            loop=7,
            timeout_s=1.5,
            cpu=True,
            env=(("A", "1"), ("B", "c=d")),
            limits=Limits(2.0, 3.0, 4.0),
            guard=False,
            processes=2,
        )
    ]


def test_rules_can_be_turned_off_or_down(
    pipeline: Pipeline, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "--rule", "autocast=off", "--rule", "slow-input=hint", "train.py"]) == 0
    assert pipeline.rules.levels == {"autocast": "off", "slow-input": "hint"}
    for wrong in ("autocast", "autocast=loud", "sink=off"):
        with pytest.raises(SystemExit):
            main(["run", "--rule", wrong, "train.py"])
    assert "no rule is named 'sink'" in capsys.readouterr().err


def new_file(path: Path) -> NewFile:
    path.write_text("new")
    found = path.stat()
    return NewFile(str(path), found.st_size, found.st_mtime_ns)


def test_files_are_told_in_one_line(
    pipeline: Pipeline, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    new = new_file(tmp_path / "new.pt")
    pipeline.files = FilesAfter("overlay", ("/data/ckpt.pt", "/data/log.txt"), (new,))
    assert main(["run", "train.py"]) == 0
    said = "stepscope: Files: 2 files kept as they were (ckpt.pt, log.txt); 1 new file left "
    assert f"{said}(new.pt).\n" in capfd.readouterr().err
    assert (tmp_path / "new.pt").exists()


def test_new_files_are_removed_on_request(
    pipeline: Pipeline, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    new = new_file(tmp_path / "new.pt")
    pipeline.files = FilesAfter("overlay", created=(new,))
    assert main(["run", "--remove-new-files", "train.py"]) == 0
    assert "stepscope: 1 new file removed.\n" in capfd.readouterr().err
    assert not (tmp_path / "new.pt").exists()


@pytest.mark.parametrize("failed", [False, True])
def test_even_a_quiet_run_says_what_slipped_through(
    pipeline: Pipeline, capfd: pytest.CaptureFixture[str], failed: bool
) -> None:
    pipeline.files = FilesAfter("functions", ("/data/log.txt",), changed=("/data/ckpt.pt",))
    pipeline.behave = fail(FailureKind.NO_STEP) if failed else None
    main(["run", "--quiet", "--json", os.devnull, "train.py"])
    err = capfd.readouterr().err
    assert "Stepscope let train.py change /data/ckpt.pt" in err
    assert "please report this" in err
    assert "log.txt" not in err


def test_what_is_not_given_is_left_to_the_agent(pipeline: Pipeline) -> None:
    main(["run", "train.py"])
    assert pipeline.requests == [ProfileRequest(target=Path("train.py"))]


@pytest.mark.parametrize(
    "rest",
    [
        ["--steps", "3", "--quiet"],
        ["--", "--json", "x"],
        ["-h"],
        ["a", "--", "b"],
        ["", " ", "深い"],
    ],
)
def test_what_follows_the_target_is_its_own(pipeline: Pipeline, rest: list[str]) -> None:
    assert main(["run", "--quiet", "train.py", *rest]) == 0
    assert pipeline.requests[0].args == tuple(rest)
    assert pipeline.requests[0].steps is None


def test_a_target_may_begin_with_a_dash(pipeline: Pipeline) -> None:
    assert main(["run", "--quiet", "--", "-odd.py", "--x"]) == 0
    assert pipeline.requests[0].target == Path("-odd.py")
    assert pipeline.requests[0].args == ("--x",)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["run"],
        ["run", "--steps", "0", "x.py"],
        ["run", "--steps", "two", "x.py"],
        ["run", "--warmup", "-1", "x.py"],
        ["run", "--timeout", "0", "x.py"],
        ["run", "--timeout", "nan", "x.py"],
        ["run", "--grace", "0", "x.py"],
        ["run", "--env", "NAME", "x.py"],
        ["run", "--env", "=value", "x.py"],
        ["run", "--no-such-option", "x.py"],
        ["serve", "--tcp", "8000"],
        ["serve", "--tcp", "0.0.0.0:0"],
        ["serve", "--tcp", "example.org:0"],
    ],
)
def test_usage_errors_end_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    captured = capsys.readouterr()
    assert "error:" in captured.err
    assert captured.out == ""


@pytest.mark.parametrize("kind", FailureKind)
def test_each_failure_has_its_exit_status_and_one_sentence(
    pipeline: Pipeline, capfd: pytest.CaptureFixture[str], kind: FailureKind
) -> None:
    pipeline.behave = fail(kind)
    assert main(["run", "train.py"]) == EXIT_STATUS[kind]
    captured = capfd.readouterr()
    assert captured.out == ""
    assert captured.err.endswith("stepscope: it did not work.\n")
    assert "Traceback: the target's own\n" in captured.err


def test_the_result_is_on_standard_output_and_the_rest_is_not(
    pipeline: Pipeline, capfd: pytest.CaptureFixture[str]
) -> None:
    pipeline.behave = print_an_epoch
    assert main(["run", "train.py"]) == 0
    captured = capfd.readouterr()
    assert captured.err == "stepscope: measuring\nepoch 1\n"
    assert captured.out.startswith("30.0 ms per step")
    assert "\x1b" not in captured.out


def test_quiet_shows_only_the_result(pipeline: Pipeline, capfd: pytest.CaptureFixture[str]) -> None:
    pipeline.behave = print_an_epoch
    assert main(["run", "--quiet", "train.py"]) == 0
    captured = capfd.readouterr()
    assert captured.err == ""
    assert "y = self.a(x)" in captured.out


def test_quiet_does_not_hide_why_the_target_failed(
    pipeline: Pipeline, capfd: pytest.CaptureFixture[str]
) -> None:
    pipeline.behave = fail(FailureKind.TARGET_FAILED)
    assert main(["run", "--quiet", "train.py"]) == 1
    assert "Traceback: the target's own\n" in capfd.readouterr().err


def test_json_goes_to_a_file_beside_the_text(
    pipeline: Pipeline, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = tmp_path / "深い report.json"
    assert main(["run", "--json", str(out), "train.py"]) == 0
    assert json.loads(out.read_text(encoding="utf-8"))["schema"] == "stepscope/report/1"
    assert "y = self.a(x)" in capfd.readouterr().out


def test_json_to_standard_output_is_all_there_is(
    pipeline: Pipeline, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "--json", "-", "train.py"]) == 0
    written: dict[str, Any] = json.loads(capfd.readouterr().out)
    assert written["run"]["model"] == "Net"


def _analysed(pipeline: Pipeline) -> None:
    """Let the pipeline give events, which a trace and the table of operators are made from."""
    tape = Tape(0, 100)
    tape.line(0, 11)
    tape.op("aten::mm", 10, 20)
    pipeline.attributed = attribute(tape.timeline())


@pytest.fixture
def page(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the built page would be."""
    folder = tmp_path_factory.mktemp("page")
    for name in ("report.js", "report.css"):
        (folder / name).write_text("/* page */")
    monkeypatch.setattr(html, "PAGE", folder)
    return folder


def test_every_export_is_written_beside_the_text(
    pipeline: Pipeline, page: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _analysed(pipeline)
    names = ("r.json", "p.html", "t.json.gz", "s.json", "c.csv")
    options = ("--json", "--html", "--trace", "--speedscope", "--csv")
    wanted = [
        word for pair in zip(options, (str(tmp_path / n) for n in names), strict=True)
        for word in pair
    ]  # fmt: skip
    assert main(["run", *wanted, "train.py"]) == 0
    assert "ms per step" in capsys.readouterr().out
    assert {path.name for path in tmp_path.iterdir()} == {*names, "c.operators.csv"}
    trace = json.loads(gzip.decompress((tmp_path / "t.json.gz").read_bytes()))
    assert "aten::mm" in {event["name"] for event in trace["traceEvents"]}
    assert "speedscope" in json.loads((tmp_path / "s.json").read_text())["$schema"]
    assert (tmp_path / "c.csv").read_bytes().startswith(b"file,line,function,")
    assert b"aten::mm,forward" in (tmp_path / "c.operators.csv").read_bytes()
    assert '"charts":{' in (tmp_path / "p.html").read_text()
    assert "charts" not in json.loads((tmp_path / "r.json").read_text())


def test_a_page_that_nobody_built_is_told_before_the_run(
    pipeline: Pipeline, page: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (page / "report.js").unlink()
    out = tmp_path / "p.html"
    assert main(["run", "--html", str(out), "train.py"]) == 2
    said = capsys.readouterr().err
    assert f"--html {out}: the page that draws a report is not built" in said
    assert "npm run bundle" in said
    assert (pipeline.requests, out.exists()) == ([], False)


def test_an_export_to_standard_output_is_all_there_is(
    pipeline: Pipeline, capfd: pytest.CaptureFixture[str]
) -> None:
    _analysed(pipeline)
    assert main(["run", "--csv", "-", "train.py"]) == 0
    out = capfd.readouterr().out
    assert out.startswith("file,line,function,")
    assert "aten::mm,forward" not in out  # the lines alone
    assert "ms per step" not in out


def test_what_is_not_asked_for_keeps_no_events(pipeline: Pipeline, tmp_path: Path) -> None:
    assert main(["run", "--speedscope", str(tmp_path / "s.json"), "train.py"]) == 0
    assert not pipeline.gave_events


def test_a_trace_without_events_is_refused_and_nothing_is_left(
    pipeline: Pipeline, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "--trace", str(tmp_path / "t.json.gz"), "train.py"]) == 2
    assert "no events were recorded" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--csv", "{}/no/x.csv"], "--csv {}/no/x.csv: no file can be written there."),
        (["--trace", "{}"], "--trace {}: no file can be written there."),
        (["--speedscope", ""], "--speedscope : no file can be written there."),
        (
            ["--json", "-", "--csv", "-"],
            "--json and --csv both go to standard output; give each its own file.",
        ),
        (
            ["--json", "{}/x", "--speedscope", "{}/x"],
            "--json and --speedscope both go to {}/x; give each its own file.",
        ),
        (
            ["--speedscope", "{}/x.operators.csv", "--csv", "{}/x.csv"],
            "--speedscope and --csv both go to {}/x.csv; give each its own file.",
        ),
    ],
)
def test_impossible_exports_are_refused_before_the_run(
    pipeline: Pipeline,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    message: str,
) -> None:
    given = [option.format(tmp_path) for option in options]
    assert main(["run", *given, "train.py"]) == 2
    assert message.format(*[tmp_path] * 2) in capsys.readouterr().err
    assert pipeline.requests == []


def test_the_targets_own_options_of_that_name_are_its_own(pipeline: Pipeline) -> None:
    assert main(["run", "--quiet", "--json", os.devnull, "train.py", "--csv", "x", "--trace"]) == 0
    assert pipeline.requests[0].args == ("--csv", "x", "--trace")


@pytest.mark.parametrize("out", ["", "no/such/folder/report.json"])
def test_an_impossible_json_path_is_refused_before_the_run(
    pipeline: Pipeline, capfd: pytest.CaptureFixture[str], tmp_path: Path, out: str
) -> None:
    assert main(["run", "--json", str(tmp_path / out), "train.py"]) == 2
    assert "no file can be written there" in capfd.readouterr().err
    assert pipeline.requests == []


def test_an_interrupt_cancels_the_run(
    pipeline: Pipeline, capfd: pytest.CaptureFixture[str]
) -> None:
    def behave(on_progress: OnProgress, on_output: OnOutput, cancel: CancelToken) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        assert cancel.cancelled
        raise Failure(FailureKind.CANCELLED, "cancelled.")

    pipeline.behave = behave
    before = signal.getsignal(signal.SIGINT)
    assert main(["run", "train.py"]) == 130
    assert signal.getsignal(signal.SIGINT) is before
    assert capfd.readouterr().err.endswith("stepscope: cancelled.\n")


def test_a_second_interrupt_ends_at_once(pipeline: Pipeline) -> None:
    def behave(on_progress: OnProgress, on_output: OnOutput, cancel: CancelToken) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)
        raise AssertionError("not reached")

    pipeline.behave = behave
    assert main(["run", "train.py"]) == 130


def test_the_module_is_the_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "stepscope", "--version"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": str(Path(stepscope.__file__).parents[1])},
    )
    assert done.stdout.strip() == stepscope.__version__
