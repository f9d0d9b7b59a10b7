"""A large recorded trace, made: steps of a training loop with Python stacks, as torch writes them.

One step of a 48-block network is written out again and again with later times and new numbers:
functions three deep, operators with shapes, their launches, kernels with the arguments that CUPTI
gives, the backward pass on its own thread, flows between all of them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

_BLOCKS = 48
_PID, _MAIN, _AUTOGRAD, _STREAM = 4242, 4242, 4300, 7
_BASE_US = 1_700_000_000_000_000


def make_trace(path: Path, size: int) -> int:
    """Write a trace of about ``size`` bytes and return its number of steps."""
    steps = 0
    writer = _Writer()
    with path.open("w", encoding="utf-8") as file:
        file.write('{\n  "schemaVersion": 1,\n  "deviceProperties": [\n    ')
        file.write('{"id": 0, "name": "NVIDIA A100-SXM4-40GB", "computeMajor": 8}\n  ],\n')
        file.write('  "record_shapes": 1, "with_stack": 1,\n  "traceEvents": [\n')
        written = 0
        while written < size:
            text = writer.step(steps)
            file.write(text if steps == 0 else ",\n" + text)
            written += len(text)
            steps += 1
        file.write('\n  ],\n  "traceName": "made.json",\n  "displayTimeUnit": "ms"\n}\n')
    return steps


class _Writer:
    """Writes events as Kineto does, a few lines for each."""

    def __init__(self) -> None:
        self._number = 0
        self._lines: list[str] = []
        self._origin = 0.0

    def step(self, number: int) -> str:
        self._lines = []
        self._origin = _BASE_US + number * 30_000.0
        self._event("user_annotation", f"ProfilerStep#{number}", 0, 29_990, _MAIN, {})
        self._python("train.py(200): train_step", 20, 24_000)
        for block in range(_BLOCKS):
            begin = 100.0 + block * 220
            sequence = number * 1000 + block
            self._python("torch/nn/modules/module.py(1773): _call_impl", begin, begin + 200)
            self._python("model.py(40): forward", begin + 5, begin + 195)
            self._python("torch/nn/modules/linear.py(130): forward", begin + 10, begin + 110)
            self._operator("aten::linear", begin + 15, begin + 105, sequence)
            self._operator("aten::addmm", begin + 20, begin + 100, sequence)
            self._launch(begin + 40, begin + 60, 900 + begin * 1.05, 160, _MAIN)
            self._operator("aten::relu", begin + 120, begin + 160, sequence)
            self._launch(begin + 130, begin + 142, 1070 + begin * 1.05, 40, _MAIN)
        for block in range(_BLOCKS):
            begin = 12_000.0 + block * 220
            sequence = number * 1000 + _BLOCKS - 1 - block
            name = "autograd::engine::evaluate_function: AddmmBackward0"
            self._operator(name, begin, begin + 200, sequence, backward=True)
            self._operator("AddmmBackward0", begin + 5, begin + 150, sequence, backward=True)
            for offset in (10, 70):
                self._operator("aten::mm", begin + offset, begin + offset + 50, backward=True)
                self._launch(
                    begin + offset + 20, begin + offset + 35, 1500 + begin + offset, 90, _AUTOGRAD
                )
        self._event("user_annotation", "Optimizer.step#SGD.step", 23_000, 24_000, _MAIN, {})
        return ",\n".join(self._lines)

    def _python(self, name: str, begin: float, end: float) -> None:
        self._number += 1
        args = {"Python parent id": self._number - 1, "Python id": self._number}
        self._event("python_function", name, begin, end, _MAIN, args)

    def _operator(
        self, name: str, begin: float, end: float, sequence: int = -1, *, backward: bool = False
    ) -> None:
        self._number += 1
        args: dict[str, object] = {
            "External id": self._number,
            "Record function id": 0,
            "Concrete Inputs": ["", "", "", "1", "1"],
            "Input type": ["float", "float", "float", "Scalar", "Scalar"],
            "Input Strides": [[1], [1024, 1], [1, 1024], [], []],
            "Input Dims": [[1024], [64, 1024], [1024, 1024], [], []],
            "Ev Idx": self._number,
        }
        if sequence >= 0:
            args |= {"Sequence number": sequence, "Fwd thread id": 1 if backward else 0}
        self._event("cpu_op", name, begin, end, _AUTOGRAD if backward else _MAIN, args)

    def _launch(self, begin: float, end: float, kernel: float, length: float, thread: int) -> None:
        self._number += 1
        number = self._number
        args = {"External id": number, "cbid": 211, "correlation": number}
        self._event("cuda_runtime", "cudaLaunchKernel", begin, end, thread, args)
        self._flow("s", number, _PID, thread, begin)
        more = {
            "External id": number, "queued": 0, "device": 0, "context": 1, "stream": _STREAM,
            "correlation": number, "registers per thread": 128, "shared memory": 49152,
            "blocks per SM": 1.185185, "warps per SM": 9.481482, "grid": [8, 4, 4],
            "block": [256, 1, 1], "est. achieved occupancy %": 15,
        }  # fmt: skip
        name = "ampere_sgemm_128x64_tn" if length > 50 else _POINTWISE
        self._event("kernel", name, kernel, kernel + length, _STREAM, more, pid=0)
        self._flow("f", number, 0, _STREAM, kernel)

    def _event(
        self,
        cat: str,
        name: str,
        begin: float,
        end: float,
        tid: int,
        args: Mapping[str, object],
        pid: int = _PID,
    ) -> None:
        inner = ",".join(f"\n      {json.dumps(key)}: {json.dumps(args[key])}" for key in args)
        self._lines.append(
            f'  {{\n    "ph": "X", "cat": "{cat}", "name": {json.dumps(name)}, "pid": {pid}, '
            f'"tid": {tid},\n    "ts": {self._origin + begin:.3f}, "dur": {end - begin:.3f},\n'
            f'    "args": {{{inner}\n    }}\n  }}'
        )

    def _flow(self, ph: str, number: int, pid: int, tid: int, time: float) -> None:
        self._lines.append(
            f'  {{\n    "ph": "{ph}", "id": {number}, "pid": {pid}, "tid": {tid}, '
            f'"ts": {self._origin + time:.3f},\n    "cat": "ac2g", "name": "ac2g"'
            + (', "bp": "e"' if ph == "f" else "")
            + "\n  }"
        )


_POINTWISE = (
    "void at::native::vectorized_elementwise_kernel<4, at::native::(anonymous namespace)::"
    "launch_clamp_scalar(at::TensorIteratorBase&, c10::Scalar, c10::Scalar, at::native::detail::"
    "ClampLimits)::{lambda()#1}::operator()() const::{lambda()#7}::operator()() const::"
    "{lambda(float)#1}, at::detail::Array<char*, 2> >(int, at::native::(anonymous namespace)::"
    "launch_clamp_scalar, at::detail::Array<char*, 2>)"
)
