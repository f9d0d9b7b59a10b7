"""The agent's life: prepare, run the target, capture its steps, stop it."""

from __future__ import annotations

import ast
import contextlib
import datetime
import faulthandler
import json
import os
import re
import sys
import threading
import traceback
from types import FrameType, ModuleType
from typing import Any

from . import children, cpu_only, evidence, guard, hooks, started_with, target, torchrun
from .boundary import StepFinder
from .capture import Capture, write_capture
from .channel import Channel, watch_lifeline
from .ending import report_end, report_failure, stop_threads_quietly
from .facts import capture_facts, code_table
from .family import Family
from .frameworks import Frameworks
from .frameworks.hooking import Reporter
from .imports import on_import
from .lineclock import make_line_clock
from .loops import with_pass_calls
from .modelonly import drive
from .module_calls import ModuleCalls
from .one_thread import OneThread
from .passes import Recorder
from .ranks import Rank
from .terminal import write_lines_at_once
from .usercode import UserCode
from .workers import Workers

MIN_TORCH = (2, 4)
_PASS_NAME = "__stepscope_pass__"
_SIGNS = {
    "optimizer": re.compile(rb"\.step\("),
    "backward": re.compile(rb"\.backward\(|autograd\.grad\("),
}


class Agent:
    """One run. Everything that the hooks need hangs here, so nothing leaks into the target."""

    def __init__(self, config: dict[str, Any], channel: Channel | None = None) -> None:
        self.config = config
        place = config.get("rank")
        self.rank = None if place is None else Rank(place)  # one of several that record together
        self.channel = channel or Channel(
            config["control"], None if self.rank is None else self.rank.number
        )
        self.user = UserCode(config["roots"])
        self.clock = make_line_clock(self.user)
        self.loaders = hooks.Loaders(self._site)
        self.models = hooks.Models()
        self.family = Family(config["capture"])
        self.finder = StepFinder(self.user, self._tick, self._change, self._expects)
        self.frameworks = Frameworks(Reporter(self.finder, self.models, self.event))
        self.threads = OneThread()
        self.workers = self.loaders.workers = Workers(self)
        self.recorder: Recorder | None = None
        self.running = True  # the target's own code; False once it has ended in this process
        self.started = datetime.datetime.now(datetime.timezone.utc)
        self.notes: list[str] = list(config["notes"])  # what the reader of the report must know
        self.guard: guard.Guard | None = None
        self.source = b""  # the target's text as it was compiled
        self.drives_itself = False  # steps are made by a loop of ours, not by the target
        self.boundary: str | None = None  # how steps are found, where ``finder`` does not find them
        self.assumed: dict[str, Any] | None = None  # see ``attribution.model.Assumed``
        self._module_calls: ModuleCalls | None = None
        self._stopping = False

    def redirect_to_cpu(self, torch: Any) -> None:
        """Somebody asked for it: requests for accelerators get the CPU, and the report says so."""
        try:
            self.notes.append(cpu_only.install(torch))
        except Exception:
            self.fault()

    def install(self, torch: Any) -> None:
        """Right after the target has imported torch."""
        try:
            self._install(torch)
        except target.StopTarget:
            raise
        except Exception:
            self.fault()

    def _install(self, torch: Any) -> None:
        version = tuple(int(part) for part in re.findall(r"\d+", torch.__version__)[:2])
        if version < MIN_TORCH:
            self.channel.send("old-torch", version=torch.__version__)
            raise target.StopTarget
        self.recorder = self._new_recorder(torch)
        self._module_calls = hooks.install(
            torch, self, self.loaders, self.models, self.notes.append
        )
        self.workers.install()
        evidence.install(self, torch)

    def _new_recorder(self, torch: Any) -> Recorder:
        return Recorder(
            torch, self.clock, self.loaders, self.models, self.channel,
            self.config["wishes"], self._is_aligned, self._capture, self.notes.append,
        )  # fmt: skip

    def become_child(self, words: str) -> None:
        """After a fork: a process of its own, with nothing counted and nothing recorded yet."""
        try:
            # What the parent is recording, a child would record too, for nobody.
            self.clock.stop()
            self.channel.become_child()
            self.family.become_child(words)
            self.workers.become_child()
            self._stopping = False
            if self.family.other:
                return
            self.loaders.become_child()
            self.models.become_child()
            self.threads = OneThread()
            self.finder.begin_anew()
            if self.recorder is not None:
                self.recorder = self._new_recorder(self.recorder.torch)
        except Exception:
            self.tell_fault()

    def event(self, kind: str, frame: FrameType | None) -> None:
        """From the hooks. Nothing of ours may break the target: a fault of ours is reported."""
        if self._stopping:
            raise target.StopTarget  # it was swallowed once; ask again
        if self.drives_itself:
            return
        if self.family.other or not self.threads.enter(kind):
            return
        try:
            if self.threads.taken_over():
                self._change()
            if self.recorder is not None:
                self.recorder.check_budget()
            self.finder.event(kind, frame)
        except target.StopTarget:
            self._stopping = True
            raise
        except Exception:
            self.fault()
        finally:
            self.threads.leave()

    def own_tick(self) -> None:
        """A step of our own loop has ended."""
        assert self.recorder is not None
        try:
            self.recorder.check_budget()
            self._tick()
        except target.StopTarget:
            raise
        except Exception:
            self.fault()

    def stop_hearing_modules(self) -> None:
        """Give the target its own ``Module.__call__`` back: module calls cannot matter any more."""
        if self._module_calls is not None:
            self._module_calls.stop()
            self._module_calls = None

    def fault(self) -> None:
        """A fault of ours: say so and stop, rather than let it look like the target's."""
        self.tell_fault()
        self._stopping = True
        raise target.StopTarget from None

    def tell_fault(self) -> None:
        """Tell the session of the exception that is being handled. It ends the run."""
        self.channel.send("fault", text=traceback.format_exc()[-2000:])

    def _tick(self) -> None:
        assert self.recorder is not None
        if self.rank is not None and self.rank.recorded:
            if self.rank.stops():
                raise target.StopTarget
            return
        if not self.family.mine and not self._is_trial_step() and not self.family.claim():
            self.stop_hearing_modules()
            return
        self.recorder.tick()
        if self.recorder.plan is not None and self._module_calls is not None:
            self._module_calls.narrow()

    def _is_trial_step(self) -> bool:
        """The main process may try out one step before it leaves the training to its children."""
        wishes = self.config["wishes"]
        assert self.recorder is not None
        return (
            self.family.is_main
            and self.recorder.ticks_seen == 0
            and not wishes.get("limit")
            and wishes.get("warmup") != 0
        )

    def _change(self) -> None:
        if self.recorder is None or (self.rank is not None and self.rank.recorded):
            return
        self.recorder.restart()
        if self.finder.kind not in (None, "module", "chosen"):
            self.stop_hearing_modules()

    def _is_aligned(self) -> bool:
        if self.rank is not None:
            return True  # all ranks make the same number of steps, whatever they know of their loop
        loop = self.finder.loop
        return loop is not None and loop.shows_passes and self.finder.kind != "explicit"

    def _expects(self, kind: str) -> bool:
        """Whether the user's source has training signs of a more trusted kind."""
        sign = self.frameworks.signs() if kind == "framework" else _SIGNS[kind]
        if sign is None or kind in self.config["wishes"].get("never", ()):
            return False
        for path in {self.config["target"], *self.user.module_files()}:
            with contextlib.suppress(OSError), open(path, "rb") as source:
                if sign.search(source.read(4_000_000)):
                    return True
        return False

    def _site(self, frame: FrameType | None) -> tuple[str, int] | None:
        found = self.user.innermost(frame)
        if found is None:
            return None
        return (os.path.abspath(found.f_code.co_filename), found.f_lineno or 1)

    def _capture(self, recorder: Recorder) -> None:
        """All passes are done: write everything down, then stop the target."""
        self._stopping = True
        self.channel.send("measured")  # what follows takes a while, and no step
        codes = code_table(recorder.codes)
        windows = [*recorder.windows, *self.workers.gather(codes)]
        facts = capture_facts(self, recorder)
        write_capture(
            self.config["capture"],
            Capture(
                facts,
                recorder.strings.all,
                codes,
                windows,
                self.loaders.fetches,
            ),
        )
        self.channel.send("captured", process=self.family.words)
        if self.rank is not None and not self.rank.finish():
            self._stopping = False
            return
        raise target.StopTarget

    def is_over(self) -> bool:
        """Whether this rank's steps are recorded: what the target does after that is nobody's."""
        return self.rank is not None and (self.rank.recorded or self.family.captured())

    def tidy(self) -> None:
        """The session died: nobody else will take away what it made for us."""
        if self.rank is not None:
            return  # torchrun's process does that, for all ranks
        if self.guard is not None:
            self.guard.tidy()
        capture = self.config["capture"]
        for path in (capture, f"{capture}.partial"):
            with contextlib.suppress(OSError):
                os.unlink(path)
        self.family.remove()
        with contextlib.suppress(OSError):
            os.rmdir(os.path.dirname(capture))

    def where(self) -> None:
        """Answer to the session: where the target's main thread is just now."""
        frame = sys._current_frames().get(threading.main_thread().ident or 0)
        site = self._site(frame)
        self.channel.send("where", site=site, counts=self.finder.counts)


def start(config: dict[str, Any], arguments: list[str]) -> None:
    """What the session started this process for: the target, a rank of it, or torchrun."""
    if "ranks" in config:
        torchrun.launch(config, arguments)
    else:
        main(torchrun.seated(config) if "seat" in config else config, arguments)


def main(config: dict[str, Any], arguments: list[str], channel: Channel | None = None) -> None:
    """Run the agent to its end; returns (or raises SystemExit) as the target itself would.

    ``channel`` takes what a session would be told, where there is none.
    """
    agent = Agent(config, channel)
    try:
        agent.guard = guard.install(config, agent.notes.append)
    except Exception:
        agent.tell_fault()  # unguarded it must not run
        return
    path = config["target"]
    if config["lifeline"] is not None:
        watch_lifeline(config["lifeline"], agent.where, agent.tidy)
    if agent.rank is not None:
        agent.rank.begin(path, agent.started.isoformat(timespec="seconds"))
    agent.family.begin()
    target.prepare(path, [config["argv0"], *arguments])
    _attend(agent)
    code = 0
    try:
        model = config["wishes"].get("model")
        if model is not None:
            drive.run(agent, path, model)
            report_end(agent, None)
            return
        agent.source = target.read_target(path)
        agent.finder.index.know(path, agent.source)
        module = target.main_module(path)
        try:
            target.run(target.compile_target(path, _with_chosen_loop(agent, module)), module)
        finally:
            agent.running = False
    except target.StopTarget:
        agent.channel.send("stopped")
        return
    except SystemExit as exit_request:
        if agent.is_over():
            return
        report_end(agent, exit_request)
        raise
    except BaseException as error:
        if agent.is_over():
            return
        report_failure(agent, error)
        target.print_exception(error)
        # KeyboardInterrupt aside, Python's own exit status for an uncaught exception.
        code = 130 if isinstance(error, KeyboardInterrupt) else 1
    if code:
        sys.exit(code)
    report_end(agent, None)


def _with_chosen_loop(agent: Agent, module: ModuleType) -> bytes | ast.Module:
    """The target's text; if a loop was chosen, a tree in which each of its passes calls us."""
    path, line = agent.config["target"], agent.config["wishes"].get("loop")
    loop = agent.finder.index.starting_at(path, line) if line else None
    if loop is None:
        if line:
            agent.notes.append(
                f"There is no loop at line {line} any more; steps were found as usual."
            )
        return agent.source
    agent.finder.choose(loop)
    module.__dict__[_PASS_NAME] = lambda: agent.event("chosen", None)
    return with_pass_calls(agent.source, loop.line, _PASS_NAME)


def join(config: str) -> None:
    """In a child that started with a fresh interpreter, before any of the target's code."""
    agent = Agent(json.loads(config))
    agent.family.become_child(f"pid {os.getpid()}")
    try:
        agent.guard = guard.install(agent.config, agent.notes.append)
    except Exception:
        agent.tell_fault()
        sys.exit(1)
    path = agent.config["target"]
    with contextlib.suppress(OSError), open(path, "rb") as source:
        agent.source = source.read()
        agent.finder.index.know(path, agent.source)
    if agent.config["wishes"].get("loop"):
        agent.notes.append(
            "A chosen loop cannot be followed into a process with a fresh interpreter; "
            "steps were found as usual."
        )
    _attend(agent)


def _attend(agent: Agent) -> None:
    """Be there for whatever the target does from now on."""
    if not faulthandler.is_enabled():
        with contextlib.suppress(Exception):
            faulthandler.enable()  # after a native crash its dump names the user's line
    target.forget_shadowed(agent.config["target"], started_with)
    sys.modules["stepscope"] = _marker_module(agent)
    stop_threads_quietly()
    write_lines_at_once()
    if agent.config["cpu"]:
        on_import("torch", agent.redirect_to_cpu)
    children.reach(agent)
    on_import("torch", agent.install)
    agent.frameworks.watch()
    agent.clock.watch_threads()


def _marker_module(agent: Agent) -> Any:
    """What ``import stepscope`` gives to a target where the package is not installed."""
    module = ModuleType("stepscope", "Stepscope's step marker, present while it profiles.")

    def step() -> None:
        """Mark the end of one step."""
        agent.event("explicit", sys._getframe(1))

    module.step = step  # type: ignore[attr-defined]
    return module
