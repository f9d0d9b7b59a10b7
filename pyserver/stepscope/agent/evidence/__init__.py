"""What the run itself knows and no trace tells: settings, flags, states. For the diagnosis.

One module here per family; nothing lists them. A family has ``collect(agent, recorder)``, which
returns plain data for JSON when all passes are done, or None where there is nothing to know. If it
has to listen meanwhile it has ``install(agent, torch)`` as well, called right after the target has
imported torch; like every hook it calls the original and changes nothing.

One that fails is reported as not measured and takes no other with it.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..main import Agent
    from ..passes import Recorder


def install(agent: Agent, torch: Any) -> None:
    """Let every family listen that wants to."""
    for name, family in _families():
        listen = getattr(family, "install", None)
        if listen is not None:
            _alone(agent, name, listen, agent, torch)


def collect(agent: Agent, recorder: Recorder) -> dict[str, Any]:
    """By family; None where there was nothing to know or the family failed."""
    return {
        name: _alone(agent, name, family.collect, agent, recorder) for name, family in _families()
    }


def _families() -> list[tuple[str, ModuleType]]:
    return [
        (found.name, importlib.import_module(f"{__name__}.{found.name}"))
        for found in pkgutil.iter_modules(__path__)
    ]


def _alone(agent: Agent, name: str, function: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return function(*arguments)
    except Exception as error:
        agent.notes.append(
            f"What Stepscope knows of {name!r} could not be looked up "
            f"({type(error).__name__}: {error}), so rules that need it say nothing."
        )
        return None
