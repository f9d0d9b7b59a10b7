"""Many small programs recorded one after the other: torch is imported once, then forked.

Run as a script it is the process that forks. A program runs in a child of its own, in which the
agent starts as in any run, except that the module torch is there already.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stepscope.attribution.attribute import Attributed, attribute
from stepscope.diagnosis.engine import diagnose
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.prepare import prepare_facts
from stepscope.timeline.from_capture import load_timeline

ROOT = Path(__file__).resolve().parents[2]
LAUNCH = ROOT / "pyserver" / "stepscope" / "agent" / "launch.py"


@dataclass(frozen=True)
class Small:
    """A program and its arguments."""

    path: Path
    arguments: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """For people: the file and what it was given."""
        return " ".join([str(self.path.relative_to(ROOT)), *self.arguments])


@dataclass(frozen=True)
class Recorded:
    """What was recorded of a program, and what the rules find in it."""

    program: Small
    attributed: Attributed
    findings: tuple[Finding, ...]


def record(programs: list[Small], folder: Path, steps: int = 3) -> list[Recorded]:
    """Every program's run. Raises ``AssertionError`` with its output for one that left nothing."""
    configs = [
        {
            "target": str(program.path),
            "arguments": list(program.arguments),
            "argv0": str(program.path),
            "capture": str(folder / f"{number}.capture"),
            "roots": [str(program.path.parent)],
            "wishes": {"steps": steps, "warmup": 3, "root": str(program.path.parent)},
            "cpu": False,
            "notes": [],
            "guard": None,
        }
        for number, program in enumerate(programs)
    ]
    told = folder / "configs.json"
    told.write_text(json.dumps(configs), encoding="utf-8")
    environment = dict(os.environ, PYTHONPATH="", OMP_NUM_THREADS="1")
    made = subprocess.run(
        [sys.executable, __file__, str(told)],
        env=environment, capture_output=True, text=True, timeout=1800, check=False,
    )  # fmt: skip
    found = []
    for program, config in zip(programs, configs, strict=True):
        capture = Path(str(config["capture"]))
        assert capture.exists(), f"{program.name} left no capture:\n{made.stdout}{made.stderr}"
        attributed = attribute(load_timeline(capture))
        made_of_it = diagnose(prepare_facts(attributed))
        assert made_of_it.notes == ()
        found.append(Recorded(program, attributed, made_of_it.findings))
    return found


def _fork_all(configs: list[dict[str, Any]]) -> None:
    import torch  # what every child would import

    assert torch.__version__
    for config in configs:
        child = os.fork()
        if not child:
            _run(config)
        os.waitpid(child, 0)


def _run(config: dict[str, Any]) -> None:
    status = 1
    try:
        # Nobody listens to what the agent says, and nobody goes away.
        config["control"] = os.open(os.devnull, os.O_WRONLY)
        config["lifeline"] = os.pipe()[0]
        space: dict[str, Any] = {"__name__": "launch", "__file__": str(LAUNCH)}
        exec(compile(LAUNCH.read_text(encoding="utf-8"), str(LAUNCH), "exec"), space)
        os.chdir(Path(config["target"]).parent)
        space["load_agent"]().main(config, config["arguments"])
        status = 0
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    _fork_all(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
