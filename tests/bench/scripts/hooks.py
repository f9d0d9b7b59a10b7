"""Times the same steps with and without the agent's hooks, in turns: ``hooks.py TURNS``.

Prints ``{"nothing": [...], "hooks": [...], "own": [...]}``, each in ms of processor time per step:
whole steps, and what of those with hooks went by in the hooks themselves. A step of the same work
varies by more than that. The agent stays in its warm-up for ever, so what is timed is what the
target pays before anything is recorded.
"""

import contextlib
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

import torch
from overhead import HERE, load_agent
from torch import nn

STEP_MS = 20.0  # of processor time
BATCH = 64  # to begin with
NOT_THERE = object()


class Stopwatch:
    """Processor time of this thread that goes by in our wrappers and not in what they wrap."""

    def __init__(self):
        self.ns = 0

    def counting(self, function, sign):
        """``function``, whose time counts: as ours (1), or as not ours after all (-1)."""

        def call(*args, **kwargs):
            begun = time.thread_time_ns()
            try:
                return function(*args, **kwargs)
            finally:
                self.ns += sign * (time.thread_time_ns() - begun)

        return call

    def taken_ms(self):
        taken, self.ns = self.ns, 0
        return taken / 1e6


class Switch:
    """Puts the replaced entry points in and out."""

    def __init__(self, watch):
        from torch.optim import optimizer
        from torch.utils.data import dataloader

        self.watch = watch

        self.places = [
            (nn.Module, "__call__"),
            (torch.autograd, "backward"),
            (torch.autograd, "grad"),
            (dataloader._BaseDataLoaderIter, "__next__"),
            (optimizer, "_global_optimizer_post_hooks"),
        ]
        self.plain = self._read()
        for (owner, name), function in list(zip(self.places, self.plain, strict=True))[1:-1]:
            setattr(owner, name, watch.counting(function, -1))

    def _read(self):
        found = [vars(owner).get(name, NOT_THERE) for owner, name in self.places]
        return [
            dict(value) if name.startswith("_global") else value
            for (_, name), value in zip(self.places, found, strict=True)
        ]

    def installed(self):
        self.heard = self._read()
        changed = [a is not b for a, b in zip(self.plain, self.heard, strict=True)]
        assert all(changed), f"not replaced: {self.places[changed.index(False)]}"

    def settled(self, looked_through):
        """Once optimizer steps are known to be the steps, module calls are left alone again.

        Python must not notice a change there that is none: it forgets what it knows of all modules.
        """
        assert self._read()[0] is self.plain[0]
        del self.places[0], self.plain[0]

        def counting(function):
            # Not a frame of the user's.
            return looked_through(self.watch.counting(function, 1))

        *functions, hooks = self._read()
        stepped = {number: counting(hook) for number, hook in hooks.items()}
        self.heard = [*map(counting, functions), stepped]

    def set(self, values):
        for (owner, name), value in zip(self.places, values, strict=True):
            if name.startswith("_global"):
                current = getattr(owner, name)
                current.clear()
                current.update(value)
            else:
                setattr(owner, name, value)


class Rows(torch.utils.data.Dataset):
    """Batch after batch of the same rows, without end."""

    def __init__(self, batch):
        self.rows = torch.rand(batch, 256)

    def __len__(self):
        return sys.maxsize

    def __getitems__(self, _):
        return list(self.rows)


class Training:
    """A loader, some twenty-five modules, an optimizer; so much data that a step takes its time."""

    def __init__(self):
        torch.manual_seed(0)
        layers = []
        for _ in range(12):
            layers += [nn.Linear(256, 256), nn.GELU()]
        self.model = nn.Sequential(*layers)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4)
        self.load(BATCH)
        small_ms = statistics.median(self.step() for _ in range(10))
        self.load(4 * BATCH)
        large_ms = statistics.median(self.step() for _ in range(10))
        each_ms = max(large_ms - small_ms, 1e-3) / (3 * BATCH)
        self.load(BATCH + max(0, round((STEP_MS - small_ms) / each_ms)))

    def load(self, batch):
        data = Rows(batch)
        self.batches = iter(torch.utils.data.DataLoader(data, batch_size=batch))

    def step(self):
        """Its processor time in ms."""
        begun = time.process_time()
        x = next(self.batches)
        self.optimizer.zero_grad()
        self.model(x).square().mean().backward()
        self.optimizer.step()
        return (time.process_time() - begun) * 1e3


def main(turns):
    watch = Stopwatch()
    switch = Switch(watch)
    load_agent()
    from _stepscope_agent.main import Agent
    from _stepscope_agent.standing_for import looked_through

    capture = Path(tempfile.mkdtemp()) / "capture"
    capture.with_name("capture.processes").mkdir()  # as the session makes it
    agent = Agent(
        {
            "control": os.open(os.devnull, os.O_WRONLY),
            "roots": [str(HERE)],
            "target": __file__,
            "capture": str(capture),
            "notes": [],
            "wishes": {"steps": None, "warmup": 10**9, "root": str(HERE)},
        }
    )
    agent.install(torch)
    switch.installed()
    training = Training()
    for _ in range(10):
        training.step()
    switch.settled(looked_through)
    found, own = {"nothing": [], "hooks": []}, []
    for turn in range(turns):
        for name in sorted(found, reverse=bool(turn % 2)):
            switch.set(switch.heard if name == "hooks" else switch.plain)
            watch.taken_ms()
            found[name].append(training.step())
            if name == "hooks":
                own.append(watch.taken_ms())
    assert agent.recorder.ticks_seen > turns // 2, "the hooks were not heard"
    print(json.dumps({**found, "own": own}))


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        main(int(sys.argv[1]))
