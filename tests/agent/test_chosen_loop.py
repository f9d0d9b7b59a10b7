"""A loop that a person has chosen, and the profilers that a script brings along."""

from __future__ import annotations

import pytest

from stepscope.session.model import FailureKind
from tests.agent.attempts import Project, project

__all__ = ["project"]
pytestmark = pytest.mark.agent

TWO_LOOPS = """
import torch

net = torch.nn.Linear(8, 8)
for x in [torch.rand(4, 8)] * 5:
    net(x).sum().backward()
    with torch.no_grad():
        for p in net.parameters():
            p -= 0.01 * p.grad
with torch.no_grad():
    for prompt in range(40):
        tokens = torch.rand(1, 8)
        for position in range(3):
            tokens = net(tokens)
"""
PROMPTS, TOKENS, NEVER = 10, 12, 99


@pytest.mark.parametrize(("line", "calls"), [(PROMPTS, 3.0), (TOKENS, 1.0)])
def test_the_passes_of_the_chosen_loop_are_the_steps(
    project: Project, line: int, calls: float
) -> None:
    target = project.file(TWO_LOOPS)
    profile = project.run(target, loop=line).reported.profile
    assert profile.run.boundary == f"passes of the chosen loop at line {line} of {target}"
    by_line = {cost.line: cost for cost in profile.lines}
    assert by_line[13].calls == calls
    assert not {5, 8} & set(by_line), "the training loop is no part of the step"


def test_a_chosen_loop_that_is_gone_is_said(project: Project) -> None:
    profile = project.run(project.file(TWO_LOOPS), loop=NEVER).reported.profile
    note = "There is no loop at line 99 any more; steps were found as usual."
    assert note in profile.notes


def test_a_chosen_loop_that_never_runs(project: Project) -> None:
    target = project.file(
        "import torch\nfor x in []:\n    torch.rand(1)\nfor y in range(9):\n    torch.rand(2)\n"
    )
    failed = project.run(target, loop=2).failed
    assert failed.kind is FailureKind.NO_STEP
    assert failed.message == (
        "train.py ended without a pass of the chosen loop at line 2; choose another loop."
    )
    assert (failed.file, failed.line) == (str(target), 2)


def test_a_script_that_profiles_itself_goes_on_and_is_told_about(project: Project) -> None:
    target = project.file(
        """
        import torch

        w = torch.rand(8, 8, requires_grad=True)

        def step():
            (w @ w).sum().backward()
            w.data -= 0.01 * w.grad
            w.grad = None

        with torch.profiler.profile(on_trace_ready=lambda prof: print("ready")) as prof:
            step()
        print(prof.key_averages().table(row_limit=5), prof.events())
        prof.export_chrome_trace("trace.json")
        with torch.autograd.profiler.profile() as old:
            step()
        print(old.key_averages().table(), old.total_average(), str(old))
        for _ in range(40):
            step()
        """
    )
    profile = project.run(target).reported.profile
    assert profile.run.boundary == f"backward passes in the loop at line 17 of {target}"
    assert [note for note in profile.notes if "own torch.profiler was switched off" in note]
