"""The page holds the whole report, allows one script to run, and nothing in the data is markup."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import io
import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from stepscope.analysis import analyse_timeline
from stepscope.report.charts import timeline as chart
from stepscope.report.charts.build import build_charts
from stepscope.report.exports import html
from stepscope.report.exports.analysed import Analysed
from stepscope.report.schema import load_schema
from stepscope.report.to_json import report_to_json
from tests import factories as make
from tests.timelines import Tape

SCRIPT = "document.title = 'a < b && \"ü\"';\n"
STYLE = "main > p::before { content: '<&'; }\n"
HOSTILE = (
    "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<!--<script>", "]]>",
    "\x1b[31mred", "\udcff", "line\nbreak\t\x00\u2028", "日本 & {policy} \\u003c",
)  # fmt: skip


@pytest.fixture(autouse=True)
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "report.js").write_text(SCRIPT, "utf-8")
    (tmp_path / "report.css").write_text(STYLE, "utf-8")
    monkeypatch.setattr(html, "PAGE", tmp_path)
    return tmp_path


class Elements(HTMLParser):
    """What a browser makes of the page: (element, attributes, text) of each, in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None], str]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs), ""))

    def handle_endtag(self, tag: str) -> None:
        self.found.append((f"/{tag}", {}, ""))

    def handle_data(self, data: str) -> None:
        tag, attributes, text = self.found.pop() if self.found else ("", {}, "")
        self.found.append((tag, attributes, text + data))

    def named(self, tag: str) -> list[tuple[dict[str, str | None], str]]:
        return [(attributes, text) for name, attributes, text in self.found if name == tag]


def tape(*names: str) -> Tape:
    made = Tape(0, 1_000_000, 2_000_000)
    for step in (0, 1_000_000):
        made.line(step, 11)
        for number, name in enumerate(names):
            made.op(name, step + number * 10, step + number * 10 + 5)
    return made


def written(analysed: Analysed) -> str:
    out = io.StringIO()
    html.write_html(analysed, out)
    # As a file is written: a lone surrogate is no UTF-8.
    return out.getvalue().encode("utf-8", "backslashreplace").decode()


def data_of(text: str) -> Any:
    _, (attributes, data), *_ = [({}, ""), *Elements(text).named("script")]
    assert attributes == {"type": "application/json", "id": "report-data"}
    return json.loads(data)


def test_the_page_holds_the_report_with_its_charts() -> None:
    analysed = analyse_timeline(tape("aten::mm").timeline())
    data = data_of(written(analysed))
    jsonschema.validate(data, load_schema())
    assert data == report_to_json(analysed.report) | {"charts": build_charts(analysed)}
    assert data["charts"]["timeline"]["lanes"]


def test_a_report_without_events_has_a_page_without_charts() -> None:
    assert data_of(written(Analysed(make.report(), None)))["charts"] is None


def test_hostile_names_are_data_and_nothing_else() -> None:
    analysed = analyse_timeline(tape(*HOSTILE).timeline())
    run = dataclasses.replace(analysed.report.profile.run, target=f"/x/{HOSTILE[1]}")
    profile = dataclasses.replace(analysed.report.profile, run=run, notes=HOSTILE)
    report = dataclasses.replace(analysed.report, profile=profile)
    text = written(dataclasses.replace(analysed, report=report))
    elements = Elements(text)
    harmless = Elements(written(analyse_timeline(tape("aten::mm").timeline())))
    assert [tag for tag, *_ in elements.found] == [tag for tag, *_ in harmless.found]
    assert elements.named("title") == [({}, f"{HOSTILE[1]}: Stepscope")]
    data = data_of(text)
    assert tuple(data["notes"]) == HOSTILE
    assert set(HOSTILE) <= set(data["charts"]["names"])
    (block,) = [line for line in text.splitlines() if "report-data" in line]
    assert block.count("<") == 2
    assert block.isascii()
    assert "\x1b" not in block


def test_only_the_pages_own_script_and_styles_are_allowed() -> None:
    elements = Elements(written(analyse_timeline(tape("aten::mm").timeline())))
    script, style = elements.named("script")[1][1], elements.named("style")[0][1]
    assert (script, style) == (SCRIPT, STYLE)
    (policy,) = [
        attributes["content"] for attributes, _ in elements.named("meta")
        if attributes.get("http-equiv") == "Content-Security-Policy"
    ]  # fmt: skip
    assert policy is not None
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    hashes = [
        f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
        for text in (SCRIPT, STYLE)
    ]
    assert rules == {
        "default-src": "'none'", "script-src": hashes[0], "style-src": hashes[1],
        "base-uri": "'none'", "form-action": "'none'",
    }  # fmt: skip
    # No attribute runs or loads anything either.
    attributes = [attributes for _, attributes, _ in elements.found]
    assert not {name for each in attributes for name in each} & {"src", "href", "onload", "style"}


def test_the_page_is_bounded_whatever_was_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chart, "MOST_SPANS", 1000)
    few, many = (
        len(written(analyse_timeline(tape(*["aten::mm"] * count).timeline())))
        for count in (1_000, 20_000)
    )
    assert many - few < 10_000  # numbers have more digits, and that is all


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("report.js", None, "not built .*report.js is missing.*npm run bundle"),
        ("report.css", None, "not built .*report.css is missing.*npm run bundle"),
        ("report.js", "'</ScRiPt>'", "cannot stand inside a <script>"),
        ("report.css", "a::after { content: '<!--' }", "cannot stand inside a <style>"),
    ],
)
def test_a_page_that_is_not_built_right_is_refused(
    page: Path, name: str, text: str | None, message: str
) -> None:
    if text is None:
        (page / name).unlink()
    else:
        (page / name).write_text(text)
    with pytest.raises(html.PageMissing, match=message):
        written(Analysed(make.report(), None))
