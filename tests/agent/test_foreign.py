"""Scripts of every kind in the survey: which steps are found, what is said, what stays unharmed."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from stepscope.attribution.check import self_check
from stepscope.session import run as session_run
from stepscope.session.model import EXIT_STATUS, FailureKind
from tests.agent.foreigners import Foreigner, foreigners
from tests.agent.visits import Noted, Visit, visit

pytestmark = pytest.mark.agent

SCRIPTS = foreigners()
WORDS = {
    "explicit": "the script's own step() calls",
    "optimizer": "optimizer steps",
    "backward": "backward passes",
    "module": "outermost calls of modules that own parameters",
}
PASSES = {"clean": 2, "lines": 2, "map": 2, "detail": 1}
"""Whole steps of each pass for the request that ``visit`` makes."""
VOID = 2
"""So many passes may lie before it is clear what a step is."""

PENDING: dict[str, str] = {}
"""Scripts whose truth is not yet met, and what it waits for."""


class Visits:
    """Runs each script once, two at a time, in the order in which they will be asked for."""

    def __init__(self, runs: dict[str, Future[Visit]]) -> None:
        self._runs = runs

    def of(self, script: Foreigner) -> Visit:
        """The script's run. Raises what the run raised."""
        return self._runs[script.name].result()


@pytest.fixture(scope="module")
def visits(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, quiet_machine: None
) -> Iterator[Visits]:
    wanted: list[Foreigner] = []
    for item in request.session.items:
        callspec = getattr(item, "callspec", None)
        script = callspec.params.get("script") if callspec is not None else None
        if isinstance(script, Foreigner):
            wanted.append(script)
    folder = tmp_path_factory.mktemp("foreign")
    started: dict[str, list[tuple[int, Path]]] = {}
    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(2) as pool:
        patch.delenv("PYTHONUNBUFFERED", raising=False)  # a line is then written in one piece
        patch.setattr(Noted, "started", started, raising=False)
        patch.setattr(session_run, "AgentProcess", Noted)
        yield Visits(
            {
                script.name: pool.submit(visit, script, folder / script.name, started)
                for script in wanted
            }
        )
        pool.shutdown(cancel_futures=True)


# Each has a near twin, here or in the corpus: `npm run test:matrix` runs them, `npm test` need not.
TWINS = frozenset(
    [
        "async_for",
        "atexit_saver",
        "batched_inference",
        "callbacks",
        "char_transformer",
        "checkpointed",
        "classify_files",
        "diffusion",
        "dqn",
        "ema_distillation",
        "evaluate_between",
        "every_third_pass",
        "five_steps",
        "functions_only",
        "generator_batches",
        "gradient_scaler",
        "hogwild",
        "iter_next",
        "loader_epochs",
        "marked_steps",
        "modulo_accumulation",
        "multiline_statements",
        "one_line_loop",
        "param_data_add",
        "physics_residual",
        "prints_a_lot",
        "raises_while_training",
        "reinforce",
        "reptile",
        "seq2seq",
        "top_level",
        "trainer_class",
        "truncated_backprop",
        "two_optimizers",
        "two_towers",
        "variational",
        "wgan_inner_critic",
        "while_walrus",
        "zip_streams",
    ]
)


def parameters() -> list[ParameterSet]:
    marked = []
    for script in SCRIPTS:
        reason = PENDING.get(script.name)
        marks = [pytest.mark.xfail(reason=reason, strict=True)] if reason else []
        if script.name in TWINS:
            marks.append(pytest.mark.slow)
        marked.append(pytest.param(script, id=script.name, marks=marks))
    return marked


def test_every_kind_of_script_is_there() -> None:
    assert len(SCRIPTS) >= 60
    assert len({script.name for script in SCRIPTS}) == len(SCRIPTS)
    assert {script.kind for script in SCRIPTS if script.kind} == set(WORDS)
    assert all(script.failure or "no-step" in script.fails for script in SCRIPTS if script.fails)
    assert len(SCRIPTS) - len(TWINS) >= 60
    assert TWINS | set(PENDING) <= {script.name for script in SCRIPTS}


@pytest.mark.parametrize("script", parameters())
def test_script(script: Foreigner, visits: Visits) -> None:
    if "no-cuda" in script.needs and shutil.which("nvidia-smi"):
        pytest.skip("this machine has a GPU, so the script does something else here")
    found = visits.of(script)
    problems = wrong_failure(found) if script.fails else wrong_report(found)
    problems += found.remains
    tail = found.output[-1500:].decode(errors="replace")
    assert not problems, "\n".join([*problems, "", "The script's output ends with:", tail])


def wrong_failure(found: Visit) -> list[str]:
    script, failure = found.script, found.failure
    if failure is None:
        return ["it was expected to fail, and there is a report"]
    kinds = [FailureKind(kind) for kind in script.fails]
    problems = []
    if failure.kind not in kinds:
        status = EXIT_STATUS[failure.kind]
        problems.append(f"fails as {failure.kind.value} (exit status {status})")
    for piece in script.says:
        if piece.format(python=sys.executable) not in failure.message:
            problems.append(f"{piece!r} is not in the message: {failure.message}")
    if script.failure is not None:
        file, line = script.failure
        shown = (failure.file, failure.line)
        if shown != (str(found.root / file), line):
            problems.append(f"is shown at {shown}")
    return problems


def wrong_report(found: Visit) -> list[str]:
    if found.profile is None or found.capture is None or found.timeline is None:
        return [f"there is no report: {found.failure}"]
    script, profile, facts = found.script, found.profile, found.capture.facts
    assert script.kind is not None
    problems = []
    if facts["boundary_kind"] != script.kind:
        problems.append(f"steps found by {facts['boundary_kind']}")
    if not profile.run.boundary.startswith(WORDS[script.kind]):
        problems.append(f"steps found by: {profile.run.boundary}")
    if script.loop is not None:
        file, line = script.loop
        place = f"at line {line} of {found.root / file}"
        if not profile.run.boundary.endswith(place):
            problems.append(f"not {place}: {profile.run.boundary}")
    if (profile.run.process == "main") != (script.process == "main"):
        problems.append(f"shows the process {profile.run.process}")
    said = "\n".join([profile.run.boundary, *profile.notes])
    problems += [f"{piece!r} is not in: {said}" for piece in script.says if piece not in said]
    problems += self_check(profile)
    if profile.coverage.work < 0.95:
        problems.append(f"{profile.coverage.work:.0%} of the operator time has a line")
    if "short" not in script.flags:
        steps = {r.kind: r.steps for r in found.recordings()} | {"clean": profile.run.steps}
        if steps != PASSES:
            problems.append(f"whole steps: {steps}")
    return problems + wrong_steps(found)


def wrong_steps(found: Visit) -> list[str]:
    """Every step that was found against the passes that the script itself made."""
    assert found.capture is not None
    made, problems = found.passes(), []

    def count(what: str, edges: list[int]) -> None:
        for n, (begin, end) in enumerate(pairwise(edges)):
            inside = sum(begin <= time < end for time in made)
            if inside != 1:
                problems.append(f"{what} {n} has {inside} passes of the script in it")

    for window in found.windows():
        count(f"{window.kind}: between tick and tick", list(window.ticks))
    for recording in found.recordings():
        count(f"{recording.kind}: in whole step", recording.bounds)
    first, last = found.windows()[0].start, found.windows()[-1].end
    before = sum(time < first for time in made) - (found.capture.facts["warmup"] + 1)
    late = {"short", "late"} & found.script.flags  # a short one has been run twice
    if before < 0 or (before > VOID and not late):
        problems.append(f"{before} passes before the first one that counted")
    after = sum(time > last for time in made)
    if after and "swallowed" not in found.script.flags:
        problems.append(f"{after} more passes after the last one that was wanted")
    return problems
