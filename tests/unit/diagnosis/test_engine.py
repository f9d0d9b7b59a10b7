"""The engine: which rules run, in which order findings come, and what a broken rule does."""

from __future__ import annotations

import dataclasses
import logging
from pathlib import Path

import pytest

from stepscope.diagnosis.engine import diagnose, discover_rules, in_order, run_rules
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.finding import Finding, Severity
from stepscope.diagnosis.rule import Eases, Evaluate, Rule
from stepscope.diagnosis.severities import rule_settings
from stepscope.fixes import discover_fixers
from tests.factories import SOURCE, TARGET, finding, line_of
from tests.unit.diagnosis.builders import cpu, facts
from tests.unit.diagnosis.builders.loaders import loader, loaders
from tests.unit.diagnosis.builders.matmul import matmul
from tests.unit.diagnosis.builders.syncs import sync, syncs

ROOT = Path(__file__).parents[3]
EVERYTHING = facts(loaders(loader()), matmul(), syncs(sync()))


def rule(name: str, *findings: Finding) -> Rule:
    return Rule(name, name, lambda _: findings)


def failing(name: str) -> Rule:
    def evaluate(facts: Facts) -> tuple[Finding, ...]:
        raise ZeroDivisionError("a rule's own mistake")

    return Rule(name, name, evaluate)


def test_every_module_with_a_rule_is_found_in_the_order_of_names() -> None:
    folder = ROOT / "pyserver/stepscope/diagnosis/rules"
    named = [path.stem.replace("_", "-") for path in folder.glob("*.py") if path.stem[0] != "_"]
    assert [rule.name for rule in discover_rules()] == sorted(named)


def test_two_rules_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="two rules are named 'a'"):
        in_order([rule("a"), rule("b"), rule("a")])


def test_every_rule_has_a_page_that_says_why_and_how_and_when_not() -> None:
    for known in discover_rules():
        page = (ROOT / known.page).read_text(encoding="utf-8")
        assert page.startswith(f"# {known.name}: {known.title}\n")
        headings = [text for text in page.splitlines() if text.startswith("## ")]
        assert headings == ["## Why it matters", "## How we know", "## The fix", "## When not to"]


def test_every_rule_is_asked_in_some_test_of_its_own() -> None:
    tests = [path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py")]
    names = {rule.name for rule in discover_rules()}
    spellings = {
        name: (f'"{name}"', f".{name.replace('-', '_')}", f" {name.replace('-', '_')},")
        for name in names
    }
    asked = {name for name in names for text in tests for word in spellings[name] if word in text}
    assert asked == names


def test_every_rule_has_a_fixer_or_advice_and_every_fixer_a_rule() -> None:
    fixers, rules = set(discover_fixers()), {rule.name: rule for rule in discover_rules()}
    assert fixers <= set(rules)
    assert [name for name, rule in rules.items() if name not in fixers and not rule.advice] == []


def test_facts_without_anything_in_them_give_no_finding() -> None:
    assert diagnose(facts()).findings == ()
    assert diagnose(facts(cpu())).findings == ()


def test_rules_speak_side_by_side_where_each_has_its_evidence() -> None:
    found = diagnose(EVERYTHING)
    assert {f.rule for f in found.findings} >= {"autocast", "slow-input", "sync-in-step"}
    assert found.notes == ()


def test_a_disabled_rule_does_not_run() -> None:
    found = diagnose(EVERYTHING, rule_settings([("autocast", "off")], off=["sync-in-step"]))
    named = {f.rule for f in found.findings}
    assert "slow-input" in named
    assert not named & {"autocast", "sync-in-step"}


def test_findings_come_by_severity_then_by_gain() -> None:
    hint = finding(1, severity=Severity.HINT, gain_ms=(9.0, 9.0))
    small = finding(2, severity=Severity.WARNING, gain_ms=(0.0, 1.0))
    large = finding(3, severity=Severity.WARNING, gain_ms=(0.0, 2.0))
    unknown = finding(4, severity=Severity.INFORMATION, gain_ms=None)
    found = run_rules([rule("r", hint, small, unknown, large)], facts())
    assert found.findings == (large, small, unknown, hint)


def test_one_line_gets_one_finding_per_rule_the_more_important() -> None:
    strong = finding(1, severity=Severity.WARNING)
    weak = dataclasses.replace(strong, severity=Severity.HINT)
    other = dataclasses.replace(strong, rule="another")
    found = run_rules([rule("r", weak, strong, other)], facts())
    assert found.findings == (other, strong)


def test_a_rule_that_fails_is_noted_and_the_others_still_speak(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.ERROR):
        found = run_rules([failing("broken"), rule("r", finding(1))], facts())
    assert [f.line for f in found.findings] == [1]
    assert found.notes == ("The rule 'broken' failed and was left out; the log has the reason.",)
    assert "a rule's own mistake" in caplog.text


def test_a_rule_speaks_as_loud_as_the_person_says() -> None:
    strong = finding(1, severity=Severity.WARNING, gain_ms=None)
    other = dataclasses.replace(strong, rule="another", severity=Severity.INFORMATION)
    settings = rule_settings([(strong.rule, "hint"), ("another", "warning")])
    found = run_rules([rule("r", strong, other)], facts(), settings)
    assert [(f.rule, f.severity) for f in found.findings] == [
        ("another", Severity.WARNING),
        (strong.rule, Severity.HINT),
    ]


@pytest.mark.parametrize(("high", "count"), [(0.8, 0), (0.9, 1)])
def test_what_saves_under_three_percent_is_not_said(high: float, count: int) -> None:
    found = run_rules([rule("r", finding(1, gain_ms=(0.0, high)))], facts())
    assert len(found.findings) == count


@pytest.mark.parametrize(("busy_ms", "count"), [(29.5, 0), (20.0, 1)])
def test_advice_for_the_host_is_silent_where_the_device_never_waits_for_it(
    busy_ms: float, count: int
) -> None:
    about_host = dataclasses.replace(rule("r", finding(1)), eases=Eases.HOST)
    assert len(run_rules([about_host], facts(busy_ms=busy_ms)).findings) == count
    assert len(run_rules([rule("r", finding(1))], facts(busy_ms=busy_ms)).findings) == 1
    assert len(run_rules([about_host], facts(cpu(), busy_ms=busy_ms)).findings) == 1


def test_a_general_rule_gives_way_to_one_that_knows_the_cause() -> None:
    general = dataclasses.replace(
        rule("g", finding(1, rule="g"), finding(2, rule="g")), general=True
    )
    hint = finding(2, rule="h", severity=Severity.HINT, gain_ms=None)
    found = run_rules([general, rule("r", finding(1, rule="r")), rule("h", hint)], facts())
    assert sorted((f.line, f.rule) for f in found.findings) == [(1, "r"), (2, "g"), (2, "h")]


def ignored(comment: str, **fields: object) -> dict[str, str]:
    lines = SOURCE.splitlines()
    lines[line_of("loss.item()") - 1] += f"  # {comment}"
    return {TARGET: "\n".join(lines)}


@pytest.mark.parametrize(
    ("comment", "left"),
    [
        ("stepscope: ignore", []),
        ("stepscope: ignore[sync-in-step]", ["other"]),
        ("noqa  # stepscope:ignore[ other , sync-in-step ]", []),
        ("stepscope: ignored", ["other", "sync-in-step"]),
        ("stepscope: ignore[]", ["other", "sync-in-step"]),
    ],
)
def test_a_comment_silences_rules_on_its_line(comment: str, left: list[str]) -> None:
    both = (finding(), dataclasses.replace(finding(), rule="other"), finding(1, rule="elsewhere"))
    rules = [rule("r", *both), rule("other"), rule("sync-in-step")]
    found = run_rules(rules, facts(sources=ignored(comment)))
    assert sorted(f.rule for f in found.findings if f.line != 1) == left
    assert [f.rule for f in found.findings if f.line == 1] == ["elsewhere"]
    assert found.notes == ()


def test_a_comment_that_names_no_rule_is_told(caplog: pytest.LogCaptureFixture) -> None:
    found = run_rules([rule("r")], facts(sources=ignored("stepscope: ignore[r, sink]")))
    assert found.notes == (
        "train.py:18: no rule is named 'sink', so the comment there ignores nothing of that name.",
    )
    assert "no rule is named 'sink'" in caplog.text


def test_the_reader_is_told_of_facts_that_could_not_be_prepared() -> None:
    found = run_rules([], dataclasses.replace(facts(), failed=("loaders",)))
    assert found.notes == (
        "The facts 'loaders' could not be prepared, so rules that need them say nothing; the log "
        "has the reason.",
    )


@pytest.mark.parametrize("known", discover_rules(), ids=lambda rule: rule.name)
def test_a_rule_says_nothing_of_a_step_that_took_no_time(known: Rule) -> None:
    evaluate: Evaluate = known.evaluate
    stopped = dataclasses.replace(
        EVERYTHING.profile,
        step_ms=dataclasses.replace(EVERYTHING.profile.step_ms, median=0.0),
    )
    assert evaluate(dataclasses.replace(EVERYTHING, profile=stopped)) == ()
