"""``stepscope.getReport``: the whole report of a file or a recording, with its charts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from stepscope.report.schema import load_schema
from tests import traces
from tests.lsp.conftest import Session, until

pytestmark = pytest.mark.lsp


async def asked(session: Session, uri: str) -> Any:
    # Objects of the client's own, of what was JSON.
    answer = await session.command("stepscope.getReport", {"uri": uri})
    return None if answer is None else json.loads(json.dumps(answer, default=vars))


async def open_trace(session: Session, name: str) -> Path:
    session.write("train.py", traces.TRAIN)
    trace = traces.write(session.folder.parent / name, traces.events())
    assert (await session.command("stepscope.open", {"paths": [str(trace)]}))["ok"]
    return trace


async def test_an_opened_trace_has_charts_that_were_not_sent_with_it(session: Session) -> None:
    trace = await open_trace(session, "run 深い.json.gz")
    await until(lambda: session.reports, "the report arrives")
    (sent,) = session.reports
    assert "charts" not in sent["report"]
    whole = await asked(session, sent["uri"])
    jsonschema.validate(whole, load_schema())
    charts = whole.pop("charts")
    assert whole == sent["report"]
    assert {lane["kind"] for lane in charts["timeline"]["lanes"]} >= {"lines", "host"}
    step = whole["step_ms"]["median"]
    assert sum(charts["flame"]["by_path"]["self_ms"]) == pytest.approx(step)
    # The same again, and by a file whose lines are in it.
    assert await asked(session, trace.as_uri()) == whole | {"charts": charts}
    in_file = await asked(session, (session.folder / "train.py").as_uri())
    assert in_file == whole | {"charts": charts}


async def test_the_charts_of_an_earlier_report_are_there_after_the_next(session: Session) -> None:
    first = await open_trace(session, "first.json.gz")
    await open_trace(session, "second.json.gz")
    assert (await asked(session, first.as_uri()))["charts"]["timeline"]["lanes"]


async def test_a_report_without_events_has_no_charts_and_one_that_is_not_there_is_null(
    session: Session,
) -> None:
    document = session.write()
    assert await asked(session, document.uri) is None
    await document.profile()
    assert (await asked(session, document.uri))["charts"] is None
    assert await session.command("stepscope.getReport", {"run": 1}) is None
    await session.command("stepscope.clear", {"uri": document.uri})
    assert await asked(session, document.uri) is None
