"""What is no trace, or a broken or hostile one: a clear sentence, or what there is with a note."""

from __future__ import annotations

import dataclasses
import gzip
import json
import os
import pickle
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stepscope.attribution.check import self_check
from stepscope.opening import open_recordings
from stepscope.report.model import Report
from stepscope.report.to_json import report_to_text
from stepscope.session.model import Failure, FailureKind
from stepscope.terminal.render import make_console, render_report
from stepscope.timeline.kineto import events as events_module
from stepscope.timeline.kineto import text as text_module
from stepscope.timeline.kineto import typed_events
from tests.kineto import START, Trace, two_steps


def report_on(path: Path) -> Report:
    """The report, which must be sound and printable."""
    report = open_recordings([path]).report
    assert self_check(report.profile) == []
    report_to_text(report)
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        render_report(report, make_console(nowhere, 80))
    return report


def is_sound(path: Path) -> bool:
    """Whether it gives a report that adds up, or a sentence."""
    try:
        report = open_recordings([path]).report
    except Failure as failure:
        return str(failure).endswith(".")
    report_to_text(report)
    return self_check(report.profile) == []


def refusal(path: Path) -> str:
    with pytest.raises(Failure) as caught:
        open_recordings([path])
    assert caught.value.kind is FailureKind.USAGE
    sentence = str(caught.value)
    assert sentence.endswith(".")
    assert "\n" not in sentence
    return sentence


NO_TRACES: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "is empty"),
    "spaces": (b" \n ", "is empty"),
    "no JSON": (b"hello", "is not JSON"),
    "binary": (bytes(range(256)) * 10, "is not JSON"),
    "another JSON": (b'{"a": 1, "b": [1, 2]}', "no list of traceEvents"),
    "a number": (b"17", "is not JSON"),
    "events that are no list": (b'{"traceEvents": 3}', "no list of traceEvents"),
    "no event": (b'{"traceEvents": []}', "nothing to show"),
    "only metadata": (
        b'{"traceEvents": [{"ph": "M", "name": "process_name", "pid": 1}]}',
        "nothing to show",
    ),
    "cut in the header": (b'{"schemaVersion": 1, "devicePro', "cut off before its first event"),
    "cut in the first event": (b'{"traceEvents": [{"ph": "X", "ca', "nothing to show"),
    "nesting": (b'{"a": ' + b"[" * 200_000, "nested too deeply"),
    "nested events": (b'{"traceEvents": [{"args": ' + b"[" * 200_000, "nothing to show"),
    "many keys": (b"{" + b",".join(b'"k%d": 1' % n for n in range(5000)), "no list of traceEvents"),
    "list of numbers": (b"[1, 2, 3]", "nothing to show"),
}


@pytest.mark.parametrize("name", NO_TRACES)
@pytest.mark.parametrize("zipped", [False, True], ids=["plain", "gzip"])
def test_what_is_no_trace_is_refused_in_one_sentence(
    tmp_path: Path, name: str, zipped: bool
) -> None:
    text, said = NO_TRACES[name]
    path = tmp_path / ("t.json.gz" if zipped else "t.json")
    path.write_bytes(gzip.compress(text) if zipped else text)
    assert said in refusal(path)


def test_what_cannot_be_read_is_refused(tmp_path: Path) -> None:
    assert "cannot be read" in refusal(tmp_path / "missing.json")
    loop = tmp_path / "loop.json"
    loop.symlink_to(loop)
    assert "cannot be read" in refusal(loop)
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    assert "is not a file" in refusal(pipe)


def test_a_folder_without_recordings_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("x")
    (tmp_path / "loop.json").symlink_to(tmp_path / "loop.json")
    assert "holds no trace" in refusal(tmp_path)


def test_a_gzip_bomb_ends_early(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_module, "_RATIO_FROM", 1 << 22)
    path = tmp_path / "bomb.json.gz"
    path.write_bytes(gzip.compress(b'{"traceEvents": [' + b" " * (1 << 25)))
    tracemalloc.start()
    try:
        assert "unpacks to far more" in refusal(path)
        assert tracemalloc.get_traced_memory()[1] < 1 << 26
    finally:
        tracemalloc.stop()


class Evil:
    """Pickled as a call that would write a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.write_text, (self.path, "executed"))


def test_code_in_a_pickle_is_not_run(tmp_path: Path) -> None:
    witness = tmp_path / "witness"
    path = tmp_path / "snapshot.pickle"
    path.write_bytes(pickle.dumps({"segments": [], "device_traces": [Evil(witness)]}))
    assert "no memory snapshot" in refusal(path)
    assert not witness.exists()


@pytest.mark.parametrize("where", [0.2, 0.5, 0.8, 0.99])
@pytest.mark.parametrize("zipped", [False, True], ids=["plain", "gzip"])
def test_a_trace_that_is_cut_off_shows_what_there_is(
    tmp_path: Path, where: float, zipped: bool
) -> None:
    trace = Trace()
    for number in range(200):
        trace.step(number, number * 100, number * 100 + 100)
        trace.op("aten::mm", number * 100 + 10, number * 100 + 30)
        trace.launch((number * 100 + 12, number * 100 + 20), (number * 100 + 30, number * 100 + 70))
    text = trace.text().encode()
    path = tmp_path / "t.json"
    if zipped:
        packed = gzip.compress(text, mtime=0)
        path.write_bytes(packed[: int(len(packed) * where)])
    else:
        path.write_bytes(text[: int(len(text) * where)])
    report = report_on(path)
    assert any("cut off or damaged after" in note for note in report.profile.notes)
    # The first part of a compressed file unpacks to less than its share.
    assert 200 * where * 0.5 < report.profile.run.steps <= 200


def test_an_event_list_without_its_end_is_a_trace(tmp_path: Path) -> None:
    """The format allows a bare list, and leaving out its bracket."""
    path = tmp_path / "t.json"
    path.write_text(json.dumps(two_steps().events).removesuffix("]"))
    assert report_on(path).profile.run.steps == 2


@pytest.mark.parametrize(
    "damage",
    [
        {"ts": "NaN"},
        {"ts": "Infinity"},
        {"dur": "-5"},
        {"dur": "NaN"},
        {"ts": "-1"},
        {"ts": "1e300"},
        {"dur": "1e300"},
        {"ts": '"soon"'},
        {"name": "null"},
        {"name": "17"},
        {"args": "[1]"},
        {"args": "null"},
        {"args": '{"correlation": "x", "stream": {}, "device": -4}'},
        {"args": '{"Input Dims": "no", "Input type": 3, "Concrete Inputs": {"a": 1}}'},
        {"pid": "null"},
        {"tid": '{"a": 1}'},
        {"cat": "9"},
    ],
    ids=str,
)
@pytest.mark.parametrize("cat", ["cpu_op", "kernel", "cuda_runtime", "python_function"])
def test_one_broken_event_does_not_spoil_the_others(
    tmp_path: Path, damage: dict[str, str], cat: str
) -> None:
    trace = two_steps()
    trace.add(cat, "broken", 150, 160, args={"correlation": 1})
    text = trace.text()
    broken = json.dumps(trace.events[-1])
    ((key, value),) = damage.items()
    fields = [f'"{k}": {value if k == key else json.dumps(v)}' for k, v in trace.events[-1].items()]
    path = tmp_path / "t.json"
    path.write_text(text.replace(broken, "{" + ", ".join(fields) + "}"))
    profile = report_on(path).profile
    assert profile.run.steps == 2
    assert profile.lines[0].function == "forward"


NAMES = [
    "<script>alert(1)</script>",
    "\x1b[31mred\x1b[0m",
    "\x1b]0;title\x07",
    "\x9b2J",
    "名前",
    "\ud800 alone",
    "a\x00b",
    "x" * 1_000_000,
    "`**_markdown_**`",
    "=cmd()",
]


@pytest.mark.parametrize("name", NAMES, ids=lambda name: ascii(name)[:20])
def test_names_of_any_kind_are_only_names(tmp_path: Path, name: str) -> None:
    trace = two_steps()
    trace.op(name, 40, 50)
    trace.launch((42, 48), (70, 75), name=name)
    trace.frame(f"{name}.py(3): {name}", 61, 90)
    path = trace.write(tmp_path / "t.json")
    report = report_on(path)
    out = tmp_path / "out.txt"
    with out.open("w", encoding="utf-8", errors="replace") as stream:
        render_report(report, make_console(stream, 80))
    shown = out.read_text(encoding="utf-8")
    assert not {"\x1b", "\x07", "\x9b", "\x00"} & set(shown)
    assert len(shown) < 100_000


def test_a_folder_of_very_many_files_is_read_in_part(tmp_path: Path) -> None:
    text = two_steps(distributedInfo={"rank": 0, "world_size": 600}).text()
    for rank in range(515):
        name = tmp_path / f"rank{rank}.json"
        name.write_text(text.replace('"rank": 0', f'"rank": {rank}'))
    ranks = open_recordings([tmp_path]).report.profile.ranks
    assert ranks is not None
    assert len(ranks.ranks) == 512
    assert any("the first 512 were read" in note for note in ranks.notes)
    assert any("of 600 have no recording" in note for note in ranks.notes)


def test_a_folder_tells_what_it_left_out(tmp_path: Path) -> None:
    for rank in (0, 1):
        keys = {"distributedInfo": {"rank": rank, "world_size": 2}}
        two_steps(**keys).write(tmp_path / f"rank{rank}.json.gz")
    (tmp_path / "config.json").write_text('{"lr": 0.1}')
    two_steps(distributedInfo={"rank": 1, "world_size": 2}).write(tmp_path / "z.json")
    ranks = open_recordings([tmp_path]).report.profile.ranks
    assert ranks is not None
    assert [rank.rank for rank in ranks.ranks] == [0, 1]
    assert ranks.missing == ()
    assert len(ranks.notes) == 2
    assert "config.json has no list of traceEvents" in ranks.notes[0]
    assert "is of rank 1, as is" in ranks.notes[1]


@pytest.mark.parametrize("number", [2**60, -3, True, "8", 1.5, None, [1]])
def test_ranks_that_cannot_be_are_not_believed(tmp_path: Path, number: Any) -> None:
    keys = {"distributedInfo": {"rank": number, "world_size": number}}
    for name in ("a.json", "b.json"):
        two_steps(**keys).write(tmp_path / name)
    ranks = open_recordings([tmp_path]).report.profile.ranks
    assert ranks is not None
    assert ranks.world_size is None
    assert [rank.rank for rank in ranks.ranks] == [0, 1]


# -- fuzzing -----------------------------------------------------------------------------------

TEXT = two_steps().text()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    cuts=st.lists(
        st.tuples(st.integers(0, len(TEXT)), st.integers(0, 40), st.text(max_size=6)),
        min_size=1,
        max_size=4,
    )
)
def test_a_text_with_pieces_replaced_gives_a_sound_report_or_a_sentence(
    tmp_path_factory: pytest.TempPathFactory, cuts: list[tuple[int, int, str]]
) -> None:
    text = TEXT
    for at, length, new in cuts:
        text = text[:at] + new + text[at + length :]
    path = tmp_path_factory.mktemp("fuzz") / "t.json"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    assert is_sound(path)


SPANS = st.tuples(
    st.sampled_from(
        ("cpu_op", "kernel", "cuda_runtime", "gpu_memcpy", "python_function", "user_annotation")
    ),
    st.sampled_from(
        (
            "aten::mm",
            "autograd::engine::evaluate_function: MulBackward0",
            "train.py(3): f",
            "ProfilerStep#4",
            "Optimizer.step#SGD.step",
            "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
            "cudaStreamSynchronize",
            "ncclDevKernel_AllReduce",
            "nccl:all_reduce",
        )
    ),
    st.integers(0, 300),
    st.integers(0, 200),
    st.integers(0, 2),
    st.dictionaries(
        st.sampled_from(
            ("correlation", "External id", "Sequence number", "Fwd thread id", "device", "stream")
        ),
        st.integers(0, 4) | st.sampled_from((-1, 2**31, 2**62)),
    ),
)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(spans=st.lists(SPANS, min_size=1, max_size=25))
def test_any_events_in_any_order_add_up(
    tmp_path_factory: pytest.TempPathFactory,
    spans: list[tuple[str, str, int, int, int, dict[str, int]]],
) -> None:
    trace = Trace()
    for cat, name, begin, length, thread, args in spans:
        trace.add(cat, name, begin, begin + length, tid=thread, args=args)
    path = trace.write(tmp_path_factory.mktemp("fuzz") / "t.json")
    assert is_sound(path)


def test_both_decoders_read_the_same() -> None:
    """Msgspec where it is installed, and the standard library where it is not."""
    trace = two_steps()
    trace.op("aten::add", 80, 90, args={
        "External id": 7, "Sequence number": 3, "Fwd thread id": 1, "Input Dims": [[2, 3], []],
        "Input type": ["float", "Scalar"], "Concrete Inputs": ["", "1"],
    })  # fmt: skip
    text = json.dumps(trace.events).encode()
    fast, plain = typed_events.decode(text), events_module.decode_plainly(text)
    assert fast is not None
    assert plain is not None
    for one, other in zip(fast, plain, strict=True):
        for name in ("ph", "cat", "name", "pid", "tid", "ts", "dur"):
            assert getattr(one, name) == getattr(other, name)
        assert (one.args is None) == (other.args is None) or not dataclasses.asdict(other)["args"]
        for field in dataclasses.fields(events_module.Arguments) if other.args else ():
            left, right = getattr(one.args, field.name), getattr(other.args, field.name)
            assert (json.loads(bytes(left) or b"0") if isinstance(right, bytes) else left) == (
                json.loads(right or b"0") if isinstance(right, bytes) else right
            )
    assert fast[0].ts == START
