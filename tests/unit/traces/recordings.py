"""The recorded traces beside the project, each read once for all tests."""

from __future__ import annotations

import functools
import gzip
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from stepscope.attribution.attribute import Attributed, attribute
from stepscope.opening import open_recordings
from stepscope.report.model import Report
from stepscope.timeline.kineto.load import load_trace

FOLDER = Path(__file__).parents[4] / "shared" / "traces"
NAMES = (
    "a100_alexnet_inference",
    "a100_ddp_nccl",
    "a100_recsys_rank0",
    "a100_recsys_rank1",
    "b200_eager_inference",
    "h100_bert_small_inference",
    "mi300_resnet_ddp_checkpointing",
    "mi300_torch_compile_triton",
    "v100_resnet50_dataloader_nw0",
    "v100_resnet_training",
)


def path_of(name: str) -> Path:
    """The trace's file; skips the test, saying so, where the traces are not."""
    path = FOLDER / f"{name}.json.gz"
    if not path.is_file():
        pytest.skip(f"the recorded traces are not beside the project ({path} is missing)")
    return path


@functools.cache
def attributed(name: str) -> Attributed:
    return attribute(load_trace(path_of(name)))


@functools.cache
def report(name: str) -> Report:
    return open_recordings([path_of(name)]).report


@functools.cache
def plain_events(name: str) -> list[dict[str, Any]]:
    """The trace as the standard library reads it, for counts that owe nothing to our reader."""
    text = gzip.decompress(path_of(name).read_bytes())
    # A float has no room for nanoseconds since 1970.
    found = json.loads(text, parse_float=Decimal)["traceEvents"]
    assert isinstance(found, list)
    return found
