"""Runs the user's file as ``python file.py`` would."""

from __future__ import annotations

import ast
import builtins
import contextlib
import importlib.machinery
import itertools
import os
import sys
import traceback
from types import CodeType, ModuleType, TracebackType
from typing import Any


class StopTarget(BaseException):
    """Raised through the target when we have its steps.

    A BaseException of our own: the target may handle Exception, KeyboardInterrupt and SystemExit.
    """


def prepare(target: str, argv: list[str]) -> None:
    """``sys.argv`` and ``sys.path[0]`` as Python itself would set them."""
    sys.argv = argv
    # launch.py was started by path, so path[0] is the agent's own folder: it must go in any case.
    folder = os.path.dirname(os.path.realpath(target))
    if getattr(sys.flags, "safe_path", False):
        own = os.path.dirname(os.path.abspath(__file__))
        sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != own]
    else:
        sys.path[0] = folder


def forget_shadowed(target: str, started_with: frozenset[str]) -> None:
    """Let the target's imports find its own modules where it has some with the library's names.

    ``sys.modules`` holds what the agent has imported beyond what the interpreter ``started_with``;
    under plain Python a ``statistics.py`` beside the target would have come first.
    """
    if getattr(sys.flags, "safe_path", False):
        return
    folder = os.path.dirname(os.path.realpath(target))
    present: set[str] = set()
    with contextlib.suppress(OSError):  # a folder that may be searched, but not listed
        present = {entry.removesuffix(".py") for entry in os.listdir(folder)}
    ours = {name for name in sys.modules if "." not in name} - started_with - {"__main__"}
    before_path = (importlib.machinery.BuiltinImporter, importlib.machinery.FrozenImporter)
    for name in present & ours:
        if any(finder.find_spec(name) for finder in before_path):
            continue
        spec = importlib.machinery.PathFinder.find_spec(name, [folder])
        if spec is None or spec.origin is None:
            continue  # a folder without __init__.py comes after the library's module
        for each in [key for key in sys.modules if key.partition(".")[0] == name]:
            del sys.modules[each]


def main_module(target: str) -> ModuleType:
    """A fresh ``__main__``, installed in ``sys.modules``."""
    module = ModuleType("__main__")
    module.__dict__.update(
        __file__=target,
        __builtins__=builtins,
        __spec__=None,
        __package__=None,
        __cached__=None,
        __loader__=importlib.machinery.SourceFileLoader("__main__", target),
    )
    sys.modules["__main__"] = module
    return module


def read_target(target: str) -> bytes:
    """The target's text, which is what runs whatever the file says later. Raises ``OSError``."""
    with open(target, "rb") as file:
        return file.read()


def compile_target(target: str, source: bytes | ast.Module) -> CodeType:
    """The target's code. Raises ``SyntaxError``."""
    # dont_inherit: this file's own __future__ imports must not reach the user's code.
    return compile(source, target, "exec", dont_inherit=True)


def run(code: CodeType, module: ModuleType) -> None:
    """Execute the target in its module."""
    exec(code, module.__dict__)


def print_exception(error: BaseException) -> None:
    """Print the traceback that Python would print, without the agent's own frames."""
    trace = forget_own_frames(error)
    hook = sys.excepthook
    if hook is sys.__excepthook__:
        traceback.print_exception(type(error), error, trace)
    else:
        hook(type(error), error, trace)


def forget_own_frames(error: BaseException) -> TracebackType | None:
    """Take the agent's frames out of the tracebacks of ``error`` and of what led to it.

    Our frames stand outside the target's own, and between them where it called a function of
    torch's or Python's that is wrapped. Returns the traceback of ``error``. Only for an error that
    ends the target: nobody else reads it after us.
    """
    own = os.path.dirname(os.path.abspath(__file__)) + os.sep
    left: list[BaseException | None] = [error]
    seen: set[int] = set()
    while left:
        one = left.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        kept = []
        trace = one.__traceback__
        while trace is not None:
            if not trace.tb_frame.f_code.co_filename.startswith(own):
                kept.append(trace)
            trace = trace.tb_next
        for here, following in itertools.pairwise([*kept, None]):
            assert here is not None
            here.tb_next = following
        one.__traceback__ = kept[0] if kept else None
        left += [one.__cause__, one.__context__, *getattr(one, "exceptions", ())]
    return error.__traceback__


def last_user_line(trace: TracebackType | None, owns: Any) -> tuple[str, int] | None:
    """The innermost user frame of a traceback: (file, line)."""
    found = None
    while trace is not None:
        if owns(trace.tb_frame.f_code):
            found = (trace.tb_frame.f_code.co_filename, trace.tb_lineno)
        trace = trace.tb_next
    return found
