"""A recorded trace -> a timeline: who launched what, which steps there are, whose code ran."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stepscope.attribution.attribute import attribute
from stepscope.attribution.model import Profile
from stepscope.timeline.kineto.load import load_trace
from stepscope.timeline.kineto.paths import PathMap
from stepscope.timeline.model import Timeline
from tests.kineto import AUTOGRAD, Trace, two_steps


def loaded(trace: Trace, folder: Path) -> Timeline:
    return load_trace(trace.write(folder / "t.json"))


def profile_of(trace: Trace, folder: Path) -> Profile:
    return attribute(loaded(trace, folder)).profile


def work_by_function(profile: Profile) -> dict[str, Any]:
    """Device work, us per step."""
    return {line.function: pytest.approx(line.work_ms * 1000) for line in profile.lines}


def test_a_kernel_belongs_to_the_function_that_launched_it(tmp_path: Path) -> None:
    trace = two_steps()
    trace.frame("train.py(30): other", 70, 95)
    trace.launch((75, 80), (81, 91))
    assert work_by_function(profile_of(trace, tmp_path)) == {"forward": 40, "other": 5}


def test_steps_are_the_profilers_marks(tmp_path: Path) -> None:
    profile = profile_of(two_steps(), tmp_path)
    assert profile.run.boundary == "torch.profiler's own step marks"
    assert profile.run.steps == 2
    assert profile.step_ms.median == pytest.approx(0.1)
    assert profile.breakdown.overhead + profile.breakdown.other == pytest.approx(0.6)


def test_without_marks_steps_end_with_the_optimizer(tmp_path: Path) -> None:
    trace = two_steps()
    trace.events = [event for event in trace.events if "ProfilerStep" not in event["name"]]
    for end in (0, 100, 200):
        trace.add("user_annotation", "Optimizer.step#SGD.step", end - 5, end)
    profile = profile_of(trace, tmp_path)
    assert profile.run.boundary == "optimizer steps"
    assert profile.run.steps == 2
    assert profile.step_ms.median == pytest.approx(0.1)


def test_without_either_the_recording_is_one_step(tmp_path: Path) -> None:
    trace = Trace()
    trace.op("aten::mm", 0, 30)
    trace.launch((5, 10), (20, 80))
    profile = profile_of(trace, tmp_path)
    assert profile.run.boundary == "the whole recording as one step"
    assert profile.step_ms.median == pytest.approx(0.08)


def test_old_and_rocm_spellings_mean_the_same(tmp_path: Path) -> None:
    wanted = profile_of(two_steps(), tmp_path)
    renamed = {"cpu_op": "Operator", "cuda_runtime": "Runtime", "kernel": "Kernel"}
    old, rocm = two_steps(), two_steps()
    for event in old.events:
        event["cat"] = renamed.get(event["cat"], event["cat"])
        if event["name"].startswith("ProfilerStep"):
            event["cat"] = "Operator"
        event["tid"] = str(event["tid"])
        if event["cat"] == "Kernel":
            event["tid"] = "stream 7"
    for event in rocm.events:
        if event["cat"] == "cuda_runtime":
            event["name"] = "hipLaunchKernel"
    for trace in (old, rocm):
        found = profile_of(trace, tmp_path)
        assert found.breakdown == wanted.breakdown
        assert work_by_function(found) == work_by_function(wanted)


def test_a_correlation_number_that_repeats_belongs_to_the_last_call_before(tmp_path: Path) -> None:
    trace = two_steps()
    for begin, name in ((0, "early"), (100, "late")):
        trace.frame(f"train.py({begin + 50}): {name}", begin + 75, begin + 95)
        trace.add("cuda_runtime", "cudaLaunchKernel", begin + 76, begin + 78,
                  args={"correlation": 99})  # fmt: skip
        trace.add("kernel", "k", begin + 80, begin + 90, pid=0, tid=7, args={"correlation": 99})
    found = work_by_function(profile_of(trace, tmp_path))
    assert (found["early"], found["late"]) == (5, 5)


def test_one_graph_launch_owns_all_its_kernels(tmp_path: Path) -> None:
    trace = two_steps()
    trace.frame("train.py(40): replay", 70, 80)
    trace.add("cuda_runtime", "cudaGraphLaunch", 71, 79, args={"correlation": 77})
    for begin in (80, 84, 88):
        trace.add("kernel", "k", begin, begin + 2, pid=0, tid=7, args={"correlation": 77})
    assert work_by_function(profile_of(trace, tmp_path))["replay"] == 3


def test_streams_that_overlap_are_busy_once(tmp_path: Path) -> None:
    trace = two_steps()
    trace.launch((21, 25), (40, 90), stream=20)
    totals = profile_of(trace, tmp_path).totals
    assert totals.device_busy_ms == pytest.approx(0.1)  # 30 to 90 and 130 to 170


def test_devices_are_busy_each_for_itself(tmp_path: Path) -> None:
    trace = two_steps()
    trace.add("kernel", "k", 30, 70, pid=1, tid=7, args={"device": 1, "correlation": 1})
    assert profile_of(trace, tmp_path).totals.device_busy_ms == pytest.approx(0.12)


def test_events_may_stand_in_any_order(tmp_path: Path) -> None:
    trace, reversed_trace = two_steps(), two_steps()
    reversed_trace.events.reverse()
    one, other = profile_of(trace, tmp_path), profile_of(reversed_trace, tmp_path)
    assert one.lines == other.lines
    assert one.breakdown == other.breakdown


def test_threads_of_two_processes_are_not_mixed(tmp_path: Path) -> None:
    trace = two_steps()
    trace.add("python_function", "other.py(1): elsewhere", 0, 200, pid=2)
    trace.add("cpu_op", "aten::add", 0, 200, pid=2)
    assert set(work_by_function(profile_of(trace, tmp_path))) == {"forward"}


def test_backward_work_is_its_forward_functions(tmp_path: Path) -> None:
    trace = Trace()
    trace.step(1, 0, 100)
    trace.frame("train.py(10): forward", 5, 40)
    trace.op("aten::mm", 10, 30, args={"Sequence number": 5, "Fwd thread id": 0})
    for name in ("autograd::engine::evaluate_function: MmBackward0", "MmBackward0"):
        trace.op(name, 50, 70, tid=AUTOGRAD, args={"Sequence number": 5, "Fwd thread id": 1})
    trace.launch((52, 56), (60, 80), tid=AUTOGRAD)
    (line,) = profile_of(trace, tmp_path).lines
    assert (line.function, line.line) == ("forward", 10)
    assert line.forward_ms == 0
    assert line.backward_ms == pytest.approx(0.02)


def test_libraries_are_not_the_users_code(tmp_path: Path) -> None:
    trace = two_steps()
    for frame in (
        "torch/nn/modules/module.py(1500): _call_impl",
        "/usr/lib/python3.11/site-packages/timm/models.py(3): forward",
        "threading.py(10): run",
        "<built-in method linear>",
        "nn.Module: Linear_0",
    ):
        trace.frame(frame, 10, 50)
    assert set(work_by_function(profile_of(trace, tmp_path))) == {"forward"}


def test_time_in_a_data_loader_is_waiting_for_data(tmp_path: Path) -> None:
    trace = two_steps()
    name = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
    for begin in (70, 170):
        trace.add("user_annotation", name, begin, begin + 25)
    assert profile_of(trace, tmp_path).breakdown.data == pytest.approx(0.25)


def test_a_blocked_call_is_the_waiting_lines_time(tmp_path: Path) -> None:
    trace = two_steps()
    trace.frame("train.py(60): log", 72, 95)
    trace.add("cuda_runtime", "cudaStreamSynchronize", 75, 90, args={"correlation": 500})
    profile = profile_of(trace, tmp_path)
    (line,) = [line for line in profile.lines if line.function == "log"]
    assert line.wait_ms.sync == pytest.approx(0.0075)
    assert line.work_ms == 0
    assert profile.breakdown.sync == pytest.approx(0.075)


# -- where recorded files are here --------------------------------------------------------------


def project(root: Path, *files: str) -> Path:
    for file in files:
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text("x = 1\n")
    return root


@pytest.mark.parametrize(
    ("recorded", "found"),
    [
        ("train.py", "train.py"),
        ("/home/someone/job/model/net.py", "model/net.py"),
        ("model/net.py", "model/net.py"),
        ("C:\\work\\model\\net.py", "model/net.py"),
        ("/x/a/util.py", "a/util.py"),
        ("util.py", None),  # there are two
        ("/x/c/util.py", None),
        ("missing.py", None),
    ],
)
def test_the_one_file_whose_path_ends_the_same_way(
    tmp_path: Path, recorded: str, found: str | None
) -> None:
    root = project(tmp_path, "train.py", "model/net.py", "a/util.py", "b/util.py")
    resolved = PathMap(roots=[root]).resolve(recorded)
    assert resolved == (recorded if found is None else str(root / found))


def test_a_rule_comes_first_and_must_lead_to_a_file(tmp_path: Path) -> None:
    root = project(tmp_path, "src/train.py", "other/train.py")
    paths = PathMap([("/job/code", str(root / "src"))])
    assert paths.resolve("/job/code/train.py") == str(root / "src/train.py")
    assert paths.resolve("/job/code/missing.py") == "/job/code/missing.py"
    assert paths.resolve("/job/code2/train.py") == "/job/code2/train.py"


def test_environments_in_the_workspace_are_not_searched(tmp_path: Path) -> None:
    root = project(tmp_path, "venv/lib/train.py", "venv/pyvenv.cfg", "node_modules/train.py")
    assert PathMap(roots=[root]).resolve("train.py") == "train.py"


def test_lines_stand_in_the_local_file(tmp_path: Path) -> None:
    root = project(tmp_path / "work", "train.py")
    source = "\n" * 9 + "def forward(x):\n    return x @ x\n"
    (root / "train.py").write_text(source)
    path = two_steps().write(tmp_path / "t.json.gz")
    timeline = load_trace(path, PathMap(roots=[root]))
    profile = attribute(timeline).profile
    assert [line.key for line in profile.lines] == [(str(root / "train.py"), 10)]
    assert profile.sources == {str(root / "train.py"): source}
    assert not any(line.exact for line in profile.lines)
    assert profile.whole_functions


def test_a_function_that_is_gone_stands_on_no_line_of_the_local_file(tmp_path: Path) -> None:
    root = project(tmp_path / "work", "train.py")
    path = two_steps().write(tmp_path / "t.json.gz")
    profile = attribute(load_trace(path, PathMap(roots=[root]))).profile
    assert [line.key for line in profile.lines] == [("recorded:train.py", 10)]
    assert profile.sources == {}
    assert len([note for note in profile.notes if "forward is not where" in note]) == 1


def test_facts_of_the_run(tmp_path: Path) -> None:
    keys: dict[str, Any] = {"distributedInfo": {"rank": 3, "world_size": 8, "backend": "nccl"}}
    facts = loaded(two_steps(**keys), tmp_path).facts
    assert (facts["rank"], facts["world_size"], facts["first_step"]) == (3, 8, 0)
    assert facts["device"] == "cuda:0 NVIDIA A100-SXM4-40GB"


def test_marks_of_no_length_are_no_steps(tmp_path: Path) -> None:
    trace = Trace()
    trace.step(4, 0, 0)
    trace.op("aten::mm", 0, 30)
    trace.launch((5, 10), (20, 80))
    profile = profile_of(trace, tmp_path)
    assert profile.run.boundary == "the whole recording as one step"
    assert profile.step_ms.median == pytest.approx(0.08)
