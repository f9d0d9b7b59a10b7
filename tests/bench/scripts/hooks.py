"""Times the same steps with and without the agent's hooks, in turns: ``hooks.py TURNS``.

Prints ``{"nothing": [...], "hooks": [...]}``: ms of processor time per step, one median per turn.
Processor time, since the difference is smaller than what a busy machine adds. The agent stays in
its warm-up for ever, so what is timed is what the target pays before anything is recorded.
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

STEPS = 12  # per turn
NOT_THERE = object()


class Switch:
    """Puts the replaced entry points in and out."""

    def __init__(self):
        from torch.optim import optimizer
        from torch.utils.data import dataloader

        self.places = [
            (torch.autograd, "backward"),
            (torch.autograd, "grad"),
            (nn.Module, "__call__"),
            (dataloader.DataLoader, "__init__"),
            (dataloader._BaseDataLoaderIter, "__init__"),
            (dataloader._BaseDataLoaderIter, "__next__"),
            (optimizer, "_global_optimizer_post_hooks"),
        ]
        self.plain = self._read()

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

    def settled(self):
        """Once optimizer steps are known to be the steps, module calls are left alone again."""
        self.heard = self._read()

    def set(self, values):
        for (owner, name), value in zip(self.places, values, strict=True):
            if name.startswith("_global"):
                current = getattr(owner, name)
                current.clear()
                current.update(value)
            else:
                setattr(owner, name, value)


class Training:
    """A step of about 20 ms: a loader, some twenty-five modules, an optimizer."""

    def __init__(self):
        torch.manual_seed(0)
        layers = []
        for _ in range(12):
            layers += [nn.Linear(256, 256), nn.GELU()]
        self.model = nn.Sequential(*layers)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4)
        data = torch.utils.data.TensorDataset(torch.rand(64 * 200, 256))
        self.loader = torch.utils.data.DataLoader(data, batch_size=64)

    def steps(self, count):
        times = []
        start = time.process_time()
        for (x,) in self.loader:
            self.optimizer.zero_grad()
            self.model(x).square().mean().backward()
            self.optimizer.step()
            end = time.process_time()
            times.append(end - start)
            start = end
            if len(times) == count:
                return times
        return times


def main(turns):
    switch = Switch()
    load_agent()
    from _stepscope_agent.main import Agent

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
    training.steps(10)
    switch.settled()
    found = {"nothing": [], "hooks": []}
    for turn in range(2 * turns):
        name = "hooks" if turn % 2 else "nothing"
        switch.set(switch.heard if turn % 2 else switch.plain)
        found[name].append(statistics.median(training.steps(STEPS)[2:]) * 1e3)
    assert agent.recorder.ticks_seen > turns, "the hooks were not heard"
    print(json.dumps(found))


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        main(int(sys.argv[1]))
