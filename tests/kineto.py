"""Small traces as torch.profiler writes them, for tests. Times are microseconds."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

MAIN, AUTOGRAD = 100, 200
START = 1_700_000_000_000_000.0


class Trace:
    """Events in today's spelling; ``write`` gives the file."""

    def __init__(self, **keys: Any) -> None:
        self.events: list[dict[str, Any]] = []
        self.keys: dict[str, Any] = {
            "schemaVersion": 1,
            "deviceProperties": [
                {"id": 0, "name": "NVIDIA A100-SXM4-40GB", "computeMajor": 8, "totalGlobalMem": 1}
            ],
        } | keys
        self._correlation = 0

    def add(self, cat: str, name: str, begin: float, end: float, **fields: Any) -> dict[str, Any]:
        args = fields.pop("args", {})
        event = {
            "ph": "X",
            "cat": cat,
            "name": name,
            "pid": 1,
            "tid": MAIN,
            "ts": START + begin,
            "dur": end - begin,
            "args": args,
        } | fields
        self.events.append(event)
        return event

    def step(self, number: int, begin: float, end: float) -> None:
        self.add("user_annotation", f"ProfilerStep#{number}", begin, end)

    def op(self, name: str, begin: float, end: float, **fields: Any) -> None:
        self.add("cpu_op", name, begin, end, **fields)

    def frame(self, name: str, begin: float, end: float, **fields: Any) -> None:
        """A Python function as ``file.py(12): name``."""
        self.add("python_function", name, begin, end, **fields)

    def launch(self, call: tuple[float, float], work: tuple[float, float], **fields: Any) -> None:
        """A runtime call and the kernel that it launches."""
        self._correlation += 1
        name = fields.pop("name", "kernel")
        cat = fields.pop("cat", "kernel")
        api = fields.pop("api", "cudaLaunchKernel")
        stream = fields.pop("stream", 7)
        args = {"correlation": self._correlation}
        self.add("cuda_runtime", api, *call, args=args, **fields)
        self.add(cat, name, *work, pid=0, tid=stream, args=args | {"device": 0, "stream": stream})

    def text(self) -> str:
        return json.dumps({**self.keys, "traceEvents": self.events})

    def write(self, path: Path) -> Path:
        text = self.text().encode("utf-8", "surrogatepass")
        path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
        return path


def two_steps(**keys: Any) -> Trace:
    """Two steps of 100 us: a function on line 10 launches a kernel of 40 us in each."""
    trace = Trace(**keys)
    for number, begin in enumerate((0.0, 100.0)):
        trace.step(number, begin, begin + 100)
        trace.frame("train.py(10): forward", begin + 5, begin + 60)
        trace.op("aten::mm", begin + 10, begin + 30)
        trace.launch((begin + 12, begin + 20), (begin + 30, begin + 70))
    return trace
