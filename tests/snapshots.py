"""Memory snapshots for tests, in the forms that torch has written since 2.0.

``Allocator`` is a toy of the real one: it keeps what is live and writes down what it did, and is
also the truth that tests compare with. Sizes are bytes, times microseconds.
"""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

PROJECT = "/home/someone/project"
TRAIN, MODEL = f"{PROJECT}/train.py", f"{PROJECT}/model.py"
LIBRARY = "/venv/lib/python3.11/site-packages/torch/nn/modules/linear.py"

Frame = dict[str, Any]


def frame(file: str, line: int, name: str = "f") -> Frame:
    return {"filename": file, "line": line, "name": name}


def stack(line: int, file: str = MODEL, function: str = "forward") -> list[Frame]:
    """A user line below torch, called from the training loop; innermost first."""
    return [
        frame(LIBRARY, 134, "forward"),
        frame(file, line, function),
        frame(LIBRARY, 1501, "_call_impl"),
        frame(TRAIN, 40, "main"),
        frame(TRAIN, 50, "<module>"),
    ]


class Allocator:
    """One device. ``torch`` is the version whose form is written: (2, 0), (2, 1), (2, 13)."""

    def __init__(self, torch: tuple[int, int] = (2, 13), device: int = 0) -> None:
        self.torch = torch
        self.device = device
        self.events: list[dict[str, Any]] = []
        self.live: dict[int, tuple[int, list[Frame]]] = {}
        self.pending: set[int] = set()
        self.segments: dict[int, int] = {}
        self.time = 1_700_000_000_000_000

    def alloc(self, address: int, size: int, frames: list[Frame]) -> None:
        self.live[address] = (size, frames)
        self._event("alloc", addr=address, size=size, frames=frames)

    def free(self, address: int, completed: bool = True) -> None:
        size, _ = self.live.pop(address)
        self._event("free_requested", addr=address, size=size, frames=[])
        if completed:
            self._event("free_completed", addr=address, size=size, frames=[])
        else:
            self.pending.add(address)

    def segment(self, address: int, size: int, kind: str = "segment_alloc") -> None:
        if kind in ("segment_alloc", "segment_map"):
            self.segments[address] = size
        else:
            del self.segments[address]
        self._event(kind, addr=address, size=size, frames=[])

    def out_of_memory(self, size: int, free: int, frames: list[Frame]) -> None:
        self._event("oom", size=size, device_free=free, frames=frames)

    def snapshot(self, keep: int | None = None) -> dict[str, Any]:
        """What torch would write now; ``keep`` is how many events its ring still holds."""
        events = self.events if keep is None else self.events[len(self.events) - keep :]
        found: dict[str, Any] = {
            "segments": self._segments(),
            "device_traces": [[]] * self.device + [events],
        }
        if self.torch >= (2, 2):
            found["allocator_settings"] = {
                "PYTORCH_CUDA_ALLOC_CONF": "",
                "garbage_collection_threshold": 0.0,
                "expandable_segments": False,
                "roundup_power2_divisions": {"1": 0, "2": 0},
            }
        if self.torch >= (2, 7):
            found["external_annotations"] = []
        return found

    def _segments(self) -> list[dict[str, Any]]:
        """A segment per live block is enough: nothing reads how blocks lie in them."""
        written = []
        for address, (size, frames) in self.live.items():
            rounded = -(-size // 512) * 512
            block: dict[str, Any] = {"size": rounded, "state": "active_allocated"}
            if self.torch == (2, 0):
                block["history"] = [{"addr": address, "real_size": size, "frames": frames}]
            else:
                block |= {"requested_size": size, "address": address, "frames": frames}
            spare = {"size": 512, "state": "inactive", "requested_size": 0, "frames": []}
            written.append(
                {
                    "device": self.device, "address": address, "total_size": 0, "stream": 0,
                    "segment_type": "small", "segment_pool_id": (0, 0), "blocks": [block, spare],
                }
            )  # fmt: skip
        for address in self.pending:
            waiting = {"size": 512, "requested_size": 512, "state": "active_pending_free"}
            written.append(
                {"device": self.device, "address": address, "total_size": 0, "blocks": [waiting]}
            )
        written += [
            {"device": self.device, "address": address, "total_size": size, "blocks": []}
            for address, size in self.segments.items()
        ]
        return written

    def _event(self, action: str, **fields: Any) -> None:
        self.time += 10
        event = {"action": action, "stream": 0} | fields
        if self.torch >= (2, 2):
            event["time_us"] = self.time
        if self.torch >= (2, 7):
            event |= {"compile_context": "N/A", "user_metadata": "", "pool_id": (0, 0)}
        self.events.append(event)


def write(found: Any, path: Path, protocol: int | None = None) -> Path:
    """The file that ``_dump_snapshot`` writes."""
    path.write_bytes(pickle.dumps(found, protocol))
    return path
