"""The numbers that the report's page must write in the same way (see webview/format.ts)."""

import json
from pathlib import Path

import pytest

from stepscope import format as texts

CASES = json.loads(
    (Path(__file__).parents[1] / "fixtures" / "format_cases.json").read_text("utf-8")
)


@pytest.mark.parametrize(("name", "arguments", "text"), CASES)
def test_the_shared_cases(name: str, arguments: list[float], text: str) -> None:
    assert getattr(texts, name)(*arguments) == text


def test_every_number_has_cases() -> None:
    assert {name for name, _, _ in CASES} == {
        "duration",
        "size",
        "share",
        "amount",
        "count",
        "ratio",
    }
