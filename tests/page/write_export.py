"""Writes ``stepscope open --html`` of a recorded trace with hostile names into a folder.

``python -m tests.page.write_export FOLDER``, from the clone; the page is ``FOLDER/page.html``.
"""

from __future__ import annotations

import sys
from pathlib import Path

from stepscope.cli import main
from tests import traces

HOSTILE = (
    "</script><script>globalThis.hacked = 1</script>",
    "<img src=x onerror='globalThis.hacked = 1'>",
    "<!--<script>",
    "\x1b[31mred \udcff",
)


def write(folder: Path) -> int:
    """The exit status of the command."""
    (folder / "train.py").write_text(traces.TRAIN)
    (folder / "helper.py").write_text(traces.HELPER)
    events = traces.events()
    for name, event in zip(
        HOSTILE, (event for event in events if event["name"] == "aten::linear"), strict=False
    ):
        event["name"] = name
    (shown,) = [event for event in events if event["name"] == "ProfilerStep#0"]
    for number, name in enumerate(HOSTILE):
        begin = shown["ts"] + 9_200 + 20 * number
        events.append({**shown, "cat": "cpu_op", "name": name, "ts": begin, "dur": 15})
    trace = traces.write(folder / "trace.json", events)
    root = ["--source-root", str(folder)]
    return main(["open", *root, "--html", str(folder / "page.html"), str(trace)])


if __name__ == "__main__":
    sys.exit(write(Path(sys.argv[1])))
