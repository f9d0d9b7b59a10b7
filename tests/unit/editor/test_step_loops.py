"""Loops worth offering, in the shapes of real files."""

from __future__ import annotations

import ast
import textwrap

import pytest

from stepscope.editor.step_loops import all_loops, step_loops

CASES = {
    "epochs and batches": (
        """
        for epoch in range(2):
            for x in loader:  # <-
                loss = model(x)
                loss.backward()
                optimizer.step()
            scheduler.step()
        """
    ),
    "accumulation: the loop around the optimizer's step": (
        """
        for batch in loader:  # <-
            for micro in batch:
                model(micro).backward()
            optimizer.step()
        """
    ),
    "a hand-written update": (
        """
        while True:  # <-
            loss(w).backward()
            w.data -= w.grad
        """
    ),
    "the step in a function of the file": (
        """
        def train_step(x):
            model(x).backward()
            opt.step()

        class Trainer:
            def one(self, x):
                train_step(x)

            def fit(self, loader):
                for epoch in range(3):
                    for x in loader:  # <-
                        self.one(x)
        """
    ),
    "train, evaluate and generate": (
        """
        def train(model, loader):
            for x in loader:  # <-
                model(x).backward()
                opt.step()

        @torch.no_grad()
        def score(model, loader):
            for x in loader:  # <-
                model(x)

        def generate(model, tokens):
            for _ in range(20):  # <-
                tokens = model(tokens)

        for epoch in range(9):
            train(model, loader)
            score(model, loader)
        """
    ),
    "an environment is no optimizer": (
        """
        for t in range(100):
            env.step(policy_action)
        """
    ),
    "a policy without gradients beside an update": (
        """
        for update in range(10):
            with torch.no_grad():
                for t in range(128):  # <-
                    action = agent.actor(obs)
                    env.step(action)
            for epoch in range(4):
                for batch in batches:  # <-
                    loss.backward()
                    optim.step()
        """
    ),
    "loops that do something else": (
        """
        for path in paths:
            open(path)
        with torch.no_grad():
            for name in names:
                print(name)
        """
    ),
    "a class of the file is known for a model": (
        """
        class Thing(nn.Module): ...
        thing = Thing().eval()
        with torch.inference_mode():
            for x in data:  # <-
                thing(x)
        """
    ),
}


@pytest.mark.parametrize("source", CASES.values(), ids=CASES)
def test_loops_worth_offering(source: str) -> None:
    text = textwrap.dedent(source).lstrip("\n")
    lines = text.splitlines()
    marked = [number for number, line in enumerate(lines, 1) if "# <-" in line]
    assert [loop.line for loop in step_loops(ast.parse(text), lines)] == marked


def test_every_loop_with_its_words() -> None:
    text = "def f():\n    for x in y:\n        while x: pass\nfor z in w: pass\n"
    found = [
        (loop.line, loop.function, loop.header)
        for loop in all_loops(ast.parse(text), text.splitlines())
    ]
    assert found == [
        (2, "f", "for x in y:"),
        (3, "f", "while x: pass"),
        (4, "", "for z in w: pass"),
    ]
