"""Times steps that log, plain and guarded, in turns: ``guard.py WAY TURNS`` (overlay, functions).

Both in one process, since two of them have memory of different speed: the guard is put in and out
step by step, and the plain steps log to a folder that no layer covers. Prints ``{"plain": steps,
"guarded": steps, "start_s": seconds to set the guard up, "guard": the way that was possible}``;
``steps`` holds one number per step: ms of processor time of its work and of its logging, ms of wall
time, and how often it had to wait for something.
"""

import builtins
import io
import json
import logging
import os
import pathlib
import shutil
import sys
import tempfile
import time
import traceback
from pathlib import Path

from overhead import load_agent

STEP_MS = 20.0  # of processor time
NAMES = ("metrics.csv", "state.json", "train.log")


def install(folder, way):
    load_agent()
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


class Switch:
    """Puts Python's own file functions and the guard's in and out."""

    def __init__(self):
        owners = [os, builtins, io, shutil, getattr(pathlib, "_NormalAccessor", None)]
        self.owners = [owner for owner in owners if owner is not None]
        self.plain = self._read()

    def _read(self):
        return {(n, name): v for n, o in enumerate(self.owners) for name, v in vars(o).items()}

    def installed(self):
        found = self._read()
        self.guarded = {at: now for at, now in found.items() if now is not self.plain.get(at)}
        self.plain = {at: self.plain[at] for at in self.guarded}
        assert (self.owners.index(os), "stat") in self.guarded

    def set(self, values):
        for (number, name), value in values.items():
            setattr(self.owners[number], name, value)


def make_log(folder):
    """What a script does that logs every step."""
    os.chdir(folder)
    log = logging.getLogger(str(folder))
    log.setLevel(logging.INFO)
    log.propagate = False
    log.addHandler(logging.FileHandler("train.log"))
    state = {"step": 0}

    def keep():
        state["step"] += 1
        log.info("step %d", state["step"])
        with open("metrics.csv", "a") as metrics:
            metrics.write(f"{state['step']},0.5\n")
        with open("state.json", "w") as out:
            json.dump(state, out)
        if not os.path.exists("stop") and not Path("best.pt").is_file():
            os.stat("metrics.csv")

    return keep


def make_work():
    """As many small products as take about ``STEP_MS`` here."""
    import torch

    left, right = torch.rand(2, 320, 320)

    def products(count):
        for _ in range(count):
            torch.mm(left, right)

    products(50)
    begun = time.thread_time()
    products(50)
    each_ms = (time.thread_time() - begun) * 1e3 / 50
    count = max(1, round(STEP_MS / each_ms))
    return lambda: products(count)


def waits():
    """How often this process has had to wait so far; 0 where the system does not tell."""
    try:
        import resource
    except ImportError:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw


def measure(work, keep, folder, found):
    os.chdir(folder)
    waited, begun, at = waits(), time.perf_counter(), time.thread_time()
    work()
    between = time.thread_time()
    keep()
    end = time.thread_time()
    found["wall"].append((time.perf_counter() - begun) * 1e3)
    found["work"].append((between - at) * 1e3)
    found["log"].append((end - between) * 1e3)
    found["waits"].append(waits() - waited)


def compare(folder, way, turns):
    switch = Switch()
    for part in ("project", "plain"):
        (folder / part).mkdir()
        for file in NAMES:
            (folder / part / file).write_text("from an earlier run\n")
    guard, start_s = install(folder, way)
    switch.installed()
    work = make_work()
    kinds = {}
    for kind, part in (("guarded", "project"), ("plain", "plain")):
        values = getattr(switch, kind)
        switch.set(values)
        keep = make_log(folder / part)
        keep()
        found = {name: [] for name in ("work", "log", "wall", "waits")}
        kinds[kind] = values, keep, folder / part, found
    for turn in range(turns):
        # Who is first in a pair changes: what is first on a busy machine fares worse.
        for kind in sorted(kinds, reverse=bool(turn % 2)):
            values, keep, at, found = kinds[kind]
            switch.set(values)
            measure(work, keep, at, found)
    return {kind: found for kind, (*_, found) in kinds.items()} | {
        "start_s": start_s, "guard": guard
    }  # fmt: skip


def main():
    with tempfile.TemporaryDirectory(prefix="stepscope-bench-") as name:
        # In a child: there is no way back from under a layer, and the folder has to be removed.
        child = os.fork()
        if child == 0:
            status = 1
            try:
                print(json.dumps(compare(Path(name).resolve(), sys.argv[1], int(sys.argv[2]))))
                sys.stdout.flush()
                status = 0
            except Exception:
                traceback.print_exc()
            finally:
                os._exit(status)
        status = os.waitpid(child, 0)[1]
    sys.exit(os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main()
