"""sync-in-step: measured waits on a GPU, one unmeasured hint per written call without one."""

from __future__ import annotations

from typing import Any

import pytest

from stepscope.diagnosis.engine import run_rules
from stepscope.diagnosis.finding import Finding, Severity
from stepscope.diagnosis.rules.sync_in_step import RULE, evaluate
from tests.factories import TARGET
from tests.unit.diagnosis.builders import PRINT, cpu, facts
from tests.unit.diagnosis.builders.syncs import sync, syncs


def only(busy_ms: float = 10.0, **fields: Any) -> Finding:
    found = evaluate(facts(syncs(sync(**fields)), busy_ms=busy_ms))
    assert len(found) == 1
    return found[0]


def on_cpu(source: str, line: int, **fields: Any) -> tuple[Finding, ...]:
    synced = sync(**({"line": (TARGET, line), "wait_ms": None} | fields))
    return evaluate(facts(cpu(), syncs(synced), sources={TARGET: source}))


def test_a_measured_wait_is_on_its_line_with_its_numbers() -> None:
    found = only()
    assert (found.file, found.line, found.severity) == (TARGET, PRINT, Severity.WARNING)
    assert found.evidence == {"wait_ms": 6.0, "wait_share": 0.2, "per_step": 1.0, "kind": "item"}


def test_the_message_blames_the_work_before_the_call_not_the_call() -> None:
    assert only().message == (
        "The host waits 6.00 ms of 30.0 ms (20 %) on this line: reading a tensor's value "
        "(.item(), float(), .tolist()) has to wait for the GPU work queued before it. The call "
        "itself is quick, but no new work is queued meanwhile."
    )


def test_the_gain_is_bounded_by_the_wait_and_by_the_devices_idle_time() -> None:
    assert only(busy_ms=10.0).gain_ms == (0.0, 6.0)
    assert only(busy_ms=28.0).gain_ms == (0.0, 2.0)


def test_on_a_gpu_that_is_busy_all_the_same_nothing_is_said() -> None:
    assert run_rules([RULE], facts(syncs(sync()), busy_ms=29.5)).findings == ()
    assert len(run_rules([RULE], facts(syncs(sync()), busy_ms=20.0)).findings) == 1


@pytest.mark.parametrize(
    ("wait_ms", "severity"), [(3.0, Severity.WARNING), (2.9, Severity.INFORMATION)]
)
def test_severity_follows_what_could_be_saved(wait_ms: float, severity: Severity) -> None:
    assert only(wait_ms=wait_ms).severity is severity


def test_a_short_wait_is_silent() -> None:
    assert evaluate(facts(syncs(sync(wait_ms=0.8)))) == ()


def test_a_value_read_now_and_then_is_silent() -> None:
    assert evaluate(facts(syncs(sync(per_step=0.1)))) == ()
    assert len(evaluate(facts(syncs(sync(per_step=0.5))))) == 1


def test_a_wait_that_was_not_measured_on_a_gpu_abstains() -> None:
    assert evaluate(facts(syncs(sync(wait_ms=None)))) == ()


def test_several_kinds_on_a_line_are_one_finding_named_by_the_longest_wait() -> None:
    both = (sync(kind="cpu", wait_ms=1.0), sync(kind="print", wait_ms=4.0, per_step=2.0))
    (found,) = evaluate(facts(syncs(*both)))
    assert found.evidence == {
        "wait_ms": 5.0,
        "wait_share": pytest.approx(1 / 6),
        "per_step": 3.0,
        "kind": "print",
    }


LOOP = "for x in data:\n    loss = net(x)\n    total += loss.item()\n"


def test_without_a_gpu_a_call_in_the_loop_is_a_hint_that_says_it_was_not_measured() -> None:
    (found,) = on_cpu(LOOP, 3)
    assert (found.line, found.severity, found.gain_ms) == (3, Severity.HINT, None)
    assert found.message == (
        "On a GPU, reading a tensor's value (.item(), float(), .tolist()) in every step makes the "
        "host wait for the work queued before it. Not measured: no GPU in this run."
    )
    assert "wait_ms" not in found.evidence


@pytest.mark.parametrize(
    "statement",
    [
        "print(loss)",
        "log(float(loss))",
        "if loss.item() > 3: break",
        "value = loss.cpu()",
        "xs.append(\n        loss.item())",
    ],
)
def test_without_a_gpu_every_plain_spelling_counts(statement: str) -> None:
    assert len(on_cpu(f"while True:\n    {statement}\n", 2)) == 1


@pytest.mark.parametrize(
    "source",
    [
        "for x in data:\n    opt.zero_grad()\n    opt.step()\n",  # reads its own step count
        "for x in data:\n    pass\nprint(1)\nprint(loss.item())\n",  # after the loop
        "for x in data:\n    def f():\n        loss.item()\n",  # in another function
        "def f(loss):\n    a = 1\n    return loss.item()\n",
        "for x in data:\n    pass\n# loss.item()\n",
        "for x in data:\n    f()\n    a = [lambda: t.item()]\n",
        "not python (",
        "",
    ],
)
def test_without_a_gpu_everything_else_is_silent(source: str) -> None:
    assert on_cpu(source, 4 if "\nprint(loss" in source else 3) == ()


def test_the_underline_reaches_to_the_end_of_the_statement() -> None:
    (found,) = on_cpu("for x in data:\n    print(\n        loss.item(),\n        1,\n    )\n", 3)
    assert (found.line, found.end_line) == (3, 5)


def test_without_a_gpu_a_statement_that_reads_several_values_is_one_hint() -> None:
    source = "for x in xs:\n    print(\n        a.item(),\n        b.item(),\n    )\n    float(c)\n"
    each = [sync(line=(TARGET, line), wait_ms=None) for line in (4, 3, 6)]
    found = evaluate(facts(cpu(), syncs(*each), sources={TARGET: source}))
    assert [(finding.line, finding.end_line) for finding in found] == [(3, 5), (6, 6)]
