"""Times steps that log, plain and guarded, in turns: ``guard.py WAY TURNS`` (overlay, functions).

The guarded ones run in a fork of the plain process. Prints ``{"plain": [median ms of each turn],
"guarded": [...], "start_s": seconds to set the guard up, "guard": the way that was possible}``.
"""

import importlib.util
import json
import logging
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

import torch

HERE = Path(__file__).resolve().parent
STEPS = 25  # per turn


def install(folder, way):
    agent = HERE.parents[2] / "pyserver" / "stepscope" / "agent"
    spec = importlib.util.spec_from_file_location(
        "_stepscope_agent", agent / "__init__.py", submodule_search_locations=[str(agent)]
    )
    package = importlib.util.module_from_spec(spec)
    sys.modules["_stepscope_agent"] = package
    spec.loader.exec_module(package)
    from _stepscope_agent import guard

    scratch = folder / "scratch"
    root, private, upper, work = (
        folder / "project", scratch / "private", scratch / "upper", scratch / "work",
    )  # fmt: skip
    for path in (private, upper, work):
        path.mkdir(parents=True)
    layers = [(str(root), str(upper), str(work))] if way == "overlay" else []
    config = {"private": str(private), "roots": [str(root)], "layers": layers}
    begun = time.perf_counter()
    found = guard.install({"guard": {**config, "free": [str(scratch)]}}, print)
    return found.mode, time.perf_counter() - begun


def make_step(project):
    """About 20 ms of work, then what a script does that logs every step."""
    os.chdir(project)
    for name in ("metrics.csv", "state.json", "train.log"):
        (project / name).write_text("from an earlier run\n")
    log = logging.getLogger("train")
    log.setLevel(logging.INFO)
    log.propagate = False
    log.addHandler(logging.FileHandler("train.log"))
    left, right = torch.rand(2, 640, 640)
    state = {"step": 0}

    def step():
        for _ in range(3):
            torch.mm(left, right)
        state["step"] += 1
        log.info("step %d", state["step"])
        with open("metrics.csv", "a") as metrics:
            metrics.write(f"{state['step']},0.5\n")
        with open("state.json", "w") as out:
            json.dump(state, out)
        if not os.path.exists("stop") and not Path("best.pt").is_file():
            os.stat("metrics.csv")

    return step


def measure(step):
    taken = []
    for _ in range(STEPS):
        begun = time.perf_counter()
        step()
        taken.append((time.perf_counter() - begun) * 1e3)
    return statistics.median(taken)


def main():
    way, turns = sys.argv[1], int(sys.argv[2])
    with tempfile.TemporaryDirectory(prefix="stepscope-bench-") as name:
        folder = Path(name).resolve()
        (folder / "project").mkdir()
        (folder / "plain").mkdir()
        (ask_read, ask), (answer, answer_write) = os.pipe(), os.pipe()
        if os.fork() == 0:
            os.close(ask)
            try:
                told = install(folder, way)
                step = make_step(folder / "project")
                step()
                os.write(answer_write, json.dumps(told).encode().ljust(100))
                while os.read(ask_read, 1):
                    os.write(answer_write, json.dumps(measure(step)).encode().ljust(100))
            finally:
                os._exit(0)
        os.close(ask_read)
        os.close(answer_write)
        guard, start_s = json.loads(os.read(answer, 100))
        step = make_step(folder / "plain")
        step()
        plain, guarded = [], []
        for turn in range(turns):
            # Who is first in a pair changes: what is first on a busy machine fares worse.
            if turn % 2:
                plain.append(measure(step))
            os.write(ask, b"x")
            guarded.append(json.loads(os.read(answer, 100)))
            if not turn % 2:
                plain.append(measure(step))
        os.close(ask)
        os.wait()
    print(json.dumps({"plain": plain, "guarded": guarded, "start_s": start_s, "guard": guard}))


if __name__ == "__main__":
    main()
