"""Reaching the target's child processes, and hearing how they end.

A forked child has the agent already and only needs to know that it is a child. A spawned one (and a
fork server) starts a fresh interpreter from a command of multiprocessing's own: before that
command's code runs, ours loads the agent by path. Nothing is put into the environment or on
``sys.path``. Where there is no such command to extend (Windows), spawned children stay unknown.
"""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any

from . import target
from .ending import child_ended, child_failed
from .imports import on_import

if TYPE_CHECKING:
    from .main import Agent

_LAUNCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "launch.py")
# The resource tracker is started the same way and runs no user code: it is left alone.
_STARTS = ("from multiprocessing.spawn import", "from multiprocessing.forkserver import")


def reach(agent: Agent) -> None:
    """From now on the children of this process belong to the agent too."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=lambda: agent.become_child(f"pid {os.getpid()}"))
    on_import("multiprocessing.util", lambda module: _extend_spawn(module, agent))
    on_import("multiprocessing.process", lambda module: _follow_processes(module, agent))


def _extend_spawn(util: ModuleType, agent: Agent) -> None:
    original = getattr(util, "spawnv_passfds", None)
    if original is None:
        return

    @functools.wraps(original)
    def spawn(path: Any, args: Any, passfds: Any) -> Any:
        command = with_agent(path, args, agent.config)
        if command is None:
            return original(path, args, passfds)
        below = (agent.config.get("guard") or {}).get("below", {})
        ours = [agent.config["control"], *below.values()]
        return original(path, command, {*passfds, *(n for n in ours if n is not None and n >= 0)})

    util.spawnv_passfds = spawn  # type: ignore[attr-defined]


def with_agent(path: Any, args: Any, config: dict[str, Any]) -> list[Any] | None:
    """The command with the agent loaded first, None where it runs no user code of this Python."""
    command = list(args)
    if os.fsdecode(path) != sys.executable or "-c" not in command[:-1]:
        return None
    at = command.index("-c") + 1
    code = command[at]
    if not isinstance(code, str) or not code.startswith(_STARTS):
        return None
    names = {"__name__": "_stepscope_launch", "__file__": _LAUNCH}
    command[at] = (
        f"(lambda names: (exec(compile(open({_LAUNCH!r}, 'rb').read(), {_LAUNCH!r}, 'exec'), names)"
        f", names['load_agent']().join({json.dumps(config)!r})))({names!r}); {code}"
    )
    return command


def _follow_processes(module: ModuleType, agent: Agent) -> None:
    process: Any = module
    base = process.BaseProcess
    bootstrap, join = base._bootstrap, base.join

    @functools.wraps(bootstrap)
    def begin(self: Any, *args: Any, **kwargs: Any) -> Any:
        method = self._start_method or _default_method()
        agent.family.words = f"{self.name} (pid {os.getpid()}), started by {method}"
        # On the object, so that a subclass's own ``run`` is the one that is followed.
        self.run = functools.partial(_run, agent, self.run)
        return bootstrap(self, *args, **kwargs)

    @functools.wraps(join)
    def wait(self: Any, timeout: float | None = None) -> None:
        join(self, timeout)
        family = agent.family
        if agent.running and family.is_main and not family.mine and family.captured():
            # The steps were a child's, and it has been stopped: there is nothing to go on with.
            agent.running = False
            raise target.StopTarget

    base._bootstrap = begin
    base.join = wait


def _default_method() -> str:
    context: Any = sys.modules["multiprocessing.context"]
    return str(context._default_context.get_start_method())


def _run(agent: Agent, run: Callable[[], None]) -> None:
    """Run a child's work to its end, and tell how it ended."""
    try:
        run()
    except target.StopTarget:
        return
    except BaseException as error:
        if agent.family.captured():
            return  # its partner has been stopped; that is no error to print
        child_failed(agent, error)
        raise
    finally:
        agent.running = False
    child_ended(agent)
