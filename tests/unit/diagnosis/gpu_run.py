"""A short run, written down call by call, and taken through the reader and the ledgers to facts.

The source carries ``# expect: <rule>`` where a finding must be; times are microseconds. Each step
makes the same calls one after the other; the rest of it passes on the line of the loop.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from stepscope.attribution.attribute import attribute
from stepscope.diagnosis.engine import discover_rules, run_rules
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.prepare import prepare_facts
from tests.timelines import STEP_THREAD, Tape

STEPS = 3
_MARK = re.compile(r"# expect: ([a-z0-9-]+)")


@dataclass(frozen=True)
class Made:
    """One call: an operator (or none), with what it caused on the device."""

    line: int
    name: str
    us: int
    inner: tuple[str, ...]
    copy: str
    copy_us: int
    wait_us: int
    kernel_us: int
    inputs: str | None


class Run:
    """A run of ``source`` on ``device``, its steps ``step_us`` long."""

    def __init__(self, source: str, step_us: int = 1000, device: str = "cuda:0") -> None:
        self.source = source
        self.step_us = step_us
        self.device = device
        self.made: list[Made] = []
        self.loaders: list[dict[str, Any]] = []

    def call(
        self,
        text: str,
        name: str = "",
        us: int = 10,
        *,
        inner: tuple[str, ...] = (),
        copy: str = "",
        copy_us: int = 5,
        wait_us: int = 0,
        kernel_us: int = 0,
        inputs: str | None = None,
        times: int = 1,
    ) -> Run:
        """The line that contains ``text`` calls ``name`` (Python alone if empty).

        ``copy`` is the kind in CUDA's words ("HtoD (Pageable -> Device)"); ``wait_us`` of ``us``
        are spent in a stream's synchronisation.
        """
        lines = self.source.splitlines()
        (line,) = [number for number, found in enumerate(lines, 1) if text in found]
        one = Made(line, name, us, inner, copy, copy_us, wait_us, kernel_us, inputs)
        self.made += [one] * times
        return self

    def loader(self, text: str, **fields: Any) -> Run:
        """A DataLoader made on the line that contains ``text`` and read by the first loop."""
        lines = self.source.splitlines()
        (line,) = [number for number, found in enumerate(lines, 1) if text in found]
        entry = {
            "construct": ["/project/train.py", line],
            "loop": ["/project/train.py", self._loop()],
            "num_workers": 0,
            "batch_size": 32,
            "persistent_workers": False,
            "prefetch_factor": None,
            "pin_memory": False,
        } | fields
        self.loaders.append(entry)
        return self

    def facts(self) -> Facts:
        """What rules see of it."""
        ticks = [number * self.step_us * 1000 for number in range(STEPS + 1)]
        facts: dict[str, Any] = {"source": self.source, "loaders": self.loaders}
        tape = Tape(*ticks, device=self.device, **facts)
        detail = Tape(*ticks, device=self.device, kind="detail", **facts)
        detail.window_facts |= {"resident_at": 0, "resident": [], "owned": [], "allocator": None}
        schemas = {name: "new" for one in self.made for name in (one.name, *one.inner) if name}
        tape.facts["schemas"] = schemas
        tape.also(detail)
        for begin in ticks[:-1]:
            for one_tape in (tape, detail):
                one_tape.line(begin, self._loop())
            if self.loaders:
                tape.fetch(begin, begin + 1000)
            if self.device != "cpu":
                tape.kernel("begin", begin, begin + 100, correlation=1)  # some work, of nobody
            now = begin + 1000
            for one in self.made:
                for one_tape in (tape, detail):
                    one_tape.line(now, one.line)
                    if one.name:
                        self._write(one_tape, one, now)
                now += one.us * 1000
                for one_tape in (tape, detail):
                    one_tape.line(now, self._loop())
            assert now <= begin + self.step_us * 1000, "the calls do not fit into the step"
        return prepare_facts(attribute(tape.timeline()))

    def findings(self, rule: str) -> tuple[Finding, ...]:
        """What the rule finds, gates included."""
        (known,) = [known for known in discover_rules() if known.name == rule]
        return run_rules([known], self.facts()).findings

    def check(self, rule: str) -> Finding:
        """The rule speaks on exactly the marked line, and its gain is no more than what it says."""
        found = self.findings(rule)
        assert [(f.line, f.rule) for f in found] == self.marks()
        (finding,) = found
        if finding.gain_ms is not None:
            low, high = finding.gain_ms
            assert 0 <= low <= high <= self.step_us / 1000
            assert finding.gain_source
        return finding

    def marks(self) -> list[tuple[int, str]]:
        """(line, rule) of every mark in the source."""
        return [
            (number, found.group(1))
            for number, line in enumerate(self.source.splitlines(), 1)
            for found in _MARK.finditer(line)
        ]

    def _loop(self) -> int:
        lines = self.source.splitlines()
        return next(n for n, line in enumerate(lines, 1) if line.lstrip().startswith("for "))

    def _write(self, tape: Tape, one: Made, now: int) -> None:
        end = now + one.us * 1000
        op = tape.op(one.name, now, end, inputs=one.inputs)
        for name in one.inner:
            tape.op(name, now + 100, end - 100)
        if self.device == "cpu":
            return
        if one.kernel_us:
            work = (now + 200, now + 200 + one.kernel_us * 1000)
            tape.launched(op, (now + 100, now + 200), work, thread=STEP_THREAD)
        if one.copy:
            work = (now + 300, now + 300 + one.copy_us * 1000)
            tape.launched(
                op, (now + 250, now + 290), work, name=f"Memcpy {one.copy}",
                api="cudaMemcpyAsync", kind="memcpy",
            )  # fmt: skip
        if one.wait_us:
            tape.runtime("cudaStreamSynchronize", end - one.wait_us * 1000, end - 10, op=op)
