"""The run of a file that only defines modules: find its model, then make steps of it ourselves."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from .. import target
from .importing import import_target
from .search import Found, NotFound, Search
from .trial import clear_gradients, loss_of

if TYPE_CHECKING:
    from ..main import Agent


def run(agent: Agent, path: str, wishes: dict[str, Any]) -> None:
    """Returns where the file has no module class; else raises ``StopTarget`` in the end.

    What the file raises while it is imported, or its model in a later step, is raised.
    """
    agent.drives_itself = True  # the calls of our trials are no steps
    module, agent.source = import_target(path)
    torch = sys.modules.get("torch")
    if torch is None or agent.recorder is None:
        return
    agent.stop_hearing_modules()
    found = _search(agent, torch, module, path, wishes)
    if found is None:
        return
    _describe(agent, found, path, wishes)
    agent.models.modules.add(found.model)
    while True:
        clear_gradients(found.model)
        output = found.model(*found.args, **found.kwargs)
        loss = loss_of(torch, output) if found.backward else None
        if loss is not None:
            loss.backward()
        del output, loss  # a step does not keep what it made
        agent.own_tick()


def _search(
    agent: Agent, torch: Any, module: Any, path: str, wishes: dict[str, Any]
) -> Found | None:
    try:
        source = agent.source.decode("utf-8-sig", "replace")
        search = Search(torch, module, source, path, wishes)
        if not search.classes and not wishes.get("symbol"):
            return None
        return search.find()
    except NotFound as failure:
        site = (path, failure.line) if failure.line else None
        agent.channel.send(
            "no-model", text=failure.sentence, site=site, wrong=failure.wrong,
            because=wishes.get("because"),
        )  # fmt: skip
        raise target.StopTarget from None
    except target.StopTarget:
        raise
    except Exception:
        agent.fault()
        return None


def _describe(agent: Agent, found: Found, path: str, wishes: dict[str, Any]) -> None:
    passes = "forward and backward" if found.backward else "forward"
    agent.boundary = f"{passes} of {found.entry.name} with assumed inputs"
    agent.assumed = {
        "file": path,
        "line": found.entry.line,
        "constructor": found.constructor,
        "inputs": found.inputs,
        "source": found.source,
    }
    notes = [
        f"The model was made by `{found.constructor}` and called with `{found.inputs}` "
        f"(from {found.source}): this is assumed, not your workload."
    ]
    if wishes.get("because"):
        notes.append(f"The file itself could not be run to a step: {wishes['because']}")
    notes += [f"Another class was passed over: {text}" for text in found.passed_over]
    if not found.backward:
        notes.append(
            "No output depends on a parameter that needs a gradient, so there was no backward pass."
        )
    if found.device == "cpu" and _has_accelerator():
        notes.append("It failed on the GPU, so it ran on the CPU.")
    agent.notes += notes


def _has_accelerator() -> bool:
    return bool(sys.modules["torch"].cuda.is_available())
