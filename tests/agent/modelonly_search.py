"""Searches many module files in one process: ``python modelonly_search.py FILE...``.

Prints one JSON object for each file. Started by the tests as a program, so that torch is imported
once for all of them and no file of one reaches another by accident.
"""

from __future__ import annotations

import json
import sys
import time
import traceback
from typing import Any


def search(path: str) -> dict[str, Any]:
    import torch

    from stepscope.agent.modelonly.importing import import_target
    from stepscope.agent.modelonly.search import NotFound, Search

    begin = time.monotonic()
    module, source = import_target(path)
    try:
        found = Search(torch, module, source.decode(), path, {}).find(raise_batch=False)
    except NotFound as failure:
        return {"file": path, "found": False, "text": failure.sentence, "line": failure.line,
                "seconds": time.monotonic() - begin}  # fmt: skip
    return {
        "file": path,
        "found": True,
        "model": found.entry.name,
        "constructor": found.constructor,
        "inputs": found.inputs,
        "source": found.source,
        "backward": found.backward,
        "passed_over": found.passed_over,
        "seconds": time.monotonic() - begin,
    }


def main(paths: list[str]) -> None:
    for path in paths:
        try:
            answer = search(path)
        except Exception:
            answer = {"file": path, "found": None, "text": traceback.format_exc()}
        sys.stdout.write("\n@" + json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
