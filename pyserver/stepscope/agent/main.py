"""The agent's life: prepare, run the target, capture its steps, stop it."""

from __future__ import annotations

import contextlib
import datetime
import faulthandler
import importlib.util
import os
import platform
import re
import sys
import threading
import time
import traceback
from types import FrameType
from typing import Any

from . import hooks, target
from .boundary import StepFinder
from .calibration import calibrate
from .capture import Capture, write_capture
from .channel import Channel, watch_lifeline
from .lineclock import make_line_clock
from .passes import Recorder, processor_count
from .profiler import schema_kinds
from .usercode import UserCode

MIN_TORCH = (2, 4)
_SIGNS = {
    "optimizer": re.compile(rb"\.step\("),
    "backward": re.compile(rb"\.backward\(|autograd\.grad\("),
}


class Agent:
    """One run. Everything that the hooks need hangs here, so nothing leaks into the target."""

    def __init__(self, config: dict[str, Any]) -> None:
        self.config = config
        self.channel = Channel(config["control"])
        self.user = UserCode(config["roots"])
        self.clock = make_line_clock(self.user)
        self.loaders = hooks.Loaders(self._site)
        self.models = hooks.Models()
        self.finder = StepFinder(self.user, self._tick, self._change, self._expects)
        self.recorder: Recorder | None = None
        self.started = datetime.datetime.now(datetime.timezone.utc)
        self.source = b""  # the target's text as it was compiled
        self._drop_module_hook: Any = None
        self._stopping = False

    def install(self, torch: Any) -> None:
        """Right after the target has imported torch."""
        try:
            self._install(torch)
        except target.StopTarget:
            raise
        except Exception:
            self._fault()

    def _install(self, torch: Any) -> None:
        version = tuple(int(part) for part in re.findall(r"\d+", torch.__version__)[:2])
        if version < MIN_TORCH:
            self.channel.send("old-torch", version=torch.__version__)
            raise target.StopTarget
        self.recorder = Recorder(
            torch, self.clock, self.loaders, self.models, self.channel,
            self.config["wishes"], self._is_aligned, self._capture,
        )  # fmt: skip
        self._drop_module_hook = hooks.install(torch, self, self.loaders, self.models)

    def event(self, kind: str, frame: FrameType | None) -> None:
        """From the hooks. Nothing of ours may break the target: a fault of ours is reported."""
        if self._stopping:
            raise target.StopTarget  # it was swallowed once; ask again
        try:
            self.finder.event(kind, frame)
        except target.StopTarget:
            raise
        except Exception:
            self._fault()

    def _fault(self) -> None:
        """A fault of ours: say so and stop, rather than let it look like the target's."""
        self.channel.send("fault", text=traceback.format_exc())
        self._stopping = True
        raise target.StopTarget from None

    def _tick(self) -> None:
        assert self.recorder is not None
        self.recorder.tick()

    def _change(self) -> None:
        if self.recorder is None:
            return
        self.recorder.restart()
        if self.finder.kind not in (None, "module") and self._drop_module_hook is not None:
            # Module calls cannot matter any more; give the target its own __call__ back.
            self._drop_module_hook()
            self._drop_module_hook = None

    def _is_aligned(self) -> bool:
        return self.finder.loop is not None and self.finder.kind != "explicit"

    def _expects(self, kind: str) -> bool:
        """Whether the user's source has training signs of a more trusted kind."""
        if kind in self.config["wishes"].get("never", ()):
            return False
        for path in {self.config["target"], *self.user.module_files()}:
            with contextlib.suppress(OSError), open(path, "rb") as source:
                if _SIGNS[kind].search(source.read(4_000_000)):
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
        strings, codes = recorder.strings.all, recorder.codes.codes
        torch = recorder.torch
        device, name = recorder.device, _device_name(torch, recorder.device)
        facts = {
            "target": self.config["target"],
            "source": importlib.util.decode_source(self.source),
            "args": sys.argv[1:],
            "python": f"{sys.executable} ({platform.python_version()})",
            "torch": torch.__version__,
            "device": "cpu" if device.type == "cpu" else f"{device} {name}",
            "device_type": device.type,
            "device_index": -1 if device.type == "cpu" else device.index or 0,
            "device_name": name,
            "started": self.started.isoformat(timespec="seconds"),
            "steps": len(recorder.clean_ns),
            "warmup": recorder.warmup,
            "boundary": self.finder.describe(),
            "boundary_kind": self.finder.kind,
            "loop": _loop_fact(self.finder),
            "clean_ns": recorder.clean_ns,
            "thread": recorder.thread,
            "model": _model_name(self.models),
            "loaders": self.loaders.all,
            "cores": processor_count(),
            "threads": torch.get_num_threads(),
            "tf32": device.type == "cuda" and torch.backends.cuda.matmul.allow_tf32,
            "peaks": calibrate(torch, device, name),
            "schemas": schema_kinds(torch, strings),
            "python_version": list(sys.version_info[:2]),
        }
        table = [
            {
                "file": os.path.abspath(code.co_filename),
                "function": getattr(code, "co_qualname", code.co_name),
                "first_line": code.co_firstlineno,
            }
            for code in codes
        ]
        facts["reading_cpu_s"] = time.process_time() - recorder.cpu_at_end
        write_capture(
            self.config["capture"],
            Capture(facts, strings, table, recorder.windows, self.loaders.fetches),
        )
        self.channel.send("captured")
        raise target.StopTarget

    def tidy(self) -> None:
        """The session died: nobody else will take away what it made for us."""
        capture = self.config["capture"]
        for path in (capture, f"{capture}.partial"):
            with contextlib.suppress(OSError):
                os.unlink(path)
        with contextlib.suppress(OSError):
            os.rmdir(os.path.dirname(capture))

    def where(self) -> None:
        """Answer to the session: where the target's main thread is just now."""
        frame = sys._current_frames().get(threading.main_thread().ident or 0)
        site = self._site(frame)
        self.channel.send("where", site=site, counts=self.finder.counts)


def main(config: dict[str, Any], arguments: list[str]) -> None:
    """Run the agent to its end; returns (or raises SystemExit) as the target itself would."""
    agent = Agent(config)
    watch_lifeline(config["lifeline"], agent.where, agent.tidy)
    if not faulthandler.is_enabled():
        with contextlib.suppress(Exception):
            faulthandler.enable()  # after a native crash its dump names the user's line
    path = config["target"]
    target.prepare(path, [config["argv0"], *arguments])
    sys.modules["stepscope"] = _marker_module(agent)
    _stop_threads_quietly()
    hooks.on_torch_import(agent.install)
    agent.clock.watch_threads()
    if hasattr(os, "register_at_fork"):
        # A worker that is forked in the middle of a recording would record itself, for nobody.
        os.register_at_fork(after_in_child=agent.clock.stop)
    code = 0
    try:
        compiled, agent.source = target.compile_target(path)
        agent.finder.index.know(path, agent.source)
        target.run(compiled, target.main_module(path))
    except target.StopTarget:
        agent.channel.send("stopped")
        return
    except SystemExit as exit_request:
        _report_end(agent, exit_request)
        raise
    except BaseException as error:
        _report_failure(agent, error)
        target.print_exception(error)
        # KeyboardInterrupt aside, Python's own exit status for an uncaught exception.
        code = 130 if isinstance(error, KeyboardInterrupt) else 1
    if code:
        sys.exit(code)
    _report_end(agent, None)


def _stop_threads_quietly() -> None:
    """Training in a thread is stopped through that thread: that is no error to print."""
    report = threading.excepthook

    def hook(arguments: Any) -> None:
        if arguments.exc_type is not target.StopTarget:
            report(arguments)

    threading.excepthook = hook


def _report_failure(agent: Agent, error: BaseException) -> None:
    site = target.last_user_line(error.__traceback__, agent.user.owns)
    if isinstance(error, SyntaxError) and error.filename:
        site = (error.filename, error.lineno or 1)
    agent.channel.send(
        "raised",
        type=type(error).__name__,
        message=str(error)[:2000],
        module=getattr(error, "name", None) if isinstance(error, ImportError) else None,
        site=site,
        ticks=agent.recorder.ticks_seen if agent.recorder else 0,
        memory=_is_out_of_memory(error),
    )


def _report_end(agent: Agent, exit_request: SystemExit | None) -> None:
    """The target ended by itself before we had what we need."""
    site = None
    if exit_request is not None:
        site = target.last_user_line(exit_request.__traceback__, agent.user.owns)
    agent.channel.send(
        "ended",
        code=None if exit_request is None else repr(exit_request.code),
        site=site,
        torch=agent.recorder is not None,
        ticks=agent.recorder.ticks_seen if agent.recorder else 0,
        boundary=agent.finder.kind,
        counts=agent.finder.counts,
    )


def _is_out_of_memory(error: BaseException) -> bool:
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return True
    # The CPU's allocator raises a plain RuntimeError, worded by platform.
    return isinstance(error, RuntimeError) and "DefaultCPUAllocator: " in str(error)


def _device_name(torch: Any, device: Any) -> str:
    if device.type == "cuda":
        return str(torch.cuda.get_device_name(device))
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as cpus:
        for line in cpus:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def _loop_fact(finder: StepFinder) -> dict[str, Any] | None:
    loop = finder.loop
    if loop is None:
        return None
    return {
        "file": os.path.abspath(loop.file),
        "line": loop.line,
        "end_line": loop.end_line,
        "mark": loop.mark,
    }


def _model_name(models: hooks.Models) -> str:
    modules = list(models.modules)
    if not modules:
        return ""
    return type(max(modules, key=lambda m: sum(1 for _ in m.parameters()))).__name__


def _marker_module(agent: Agent) -> Any:
    """What ``import stepscope`` gives to a target where the package is not installed."""
    from types import ModuleType

    module = ModuleType("stepscope", "Stepscope's step marker, present while it profiles.")

    def step() -> None:
        """Mark the end of one step."""
        agent.event("explicit", sys._getframe(1))

    module.step = step  # type: ignore[attr-defined]
    return module
