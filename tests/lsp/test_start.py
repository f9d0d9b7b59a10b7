"""The quick start leaves the protocol's types whole where the server needs them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.lsp.conftest import PATIENCE_S, environment

pytestmark = pytest.mark.lsp

PROBE = """\
import gc
import attrs
complete = attrs.define
from stepscope.server import build_server
server = build_server()
assert attrs.define is complete, "attrs is left changed"
assert gc.isenabled(), "the collector is left off"
from lsprotocol import types
from pygls.protocol import default_converter
item = types.TextDocumentItem("file:///a.py", "python", 1, "x")
assert "__eq__" not in types.TextDocumentItem.__dict__, "the quick start had no effect"
converter = default_converter()
wire = converter.unstructure(item)
assert wire == {"uri": "file:///a.py", "languageId": "python", "version": 1, "text": "x"}, wire
back = converter.structure(wire, types.TextDocumentItem)
assert attrs.asdict(back) == attrs.asdict(item)
assert types.Position(1, 2) == types.Position(1, 2) < types.Position(2, 0)

@attrs.define
class Mine:
    x: int

assert Mine(1) == Mine(1)
print("whole")
"""


def test_the_types_are_whole_and_attrs_is_as_it_was() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROBE],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        env=environment(),
        check=False,
    )
    assert done.stdout == "whole\n", done.stderr
