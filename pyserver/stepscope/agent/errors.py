"""What the target raised, as plain data: enough for the session to tell what kind of failure it is.

Only told, never judged here: the classes of failures are the session's affair.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType, ModuleType, TracebackType
from typing import Any

ATTRIBUTES = ("name", "filename", "errno", "code", "text")
"""Attributes of exceptions that are told, where they are numbers or texts."""

_CAUSES = 4  # of the chain: the exception, and what it was raised from
_FIRST, _OTHERS = 1500, 300  # characters of messages: the whole must fit one write to a pipe
_ROOMY = 3000  # bytes of JSON, of the 4096 that are written at once
_VERSIONS = 16
_NAMELESS = "builtins.BaseException"


def describe(error: BaseException, owns: Callable[[Any], bool]) -> dict[str, Any]:
    """The error and its causes, what it was fetching, and the versions of libraries it names."""
    chain = _chain(error)
    told = [_one(found, _OTHERS if index else _FIRST) for index, found in enumerate(chain)]
    frames = [frame for found in chain for frame in _frames(found.__traceback__)]
    described = {
        "chain": told,
        "wanted": _wanted(frames),
        "versions": _versions(told, [frame for frame in frames if owns(frame.f_code)]),
    }
    length = _FIRST
    while len(repr(described)) > _ROOMY and length > 100:
        length //= 2
        for one in told:
            one["message"] = one["message"][:length]
    return described


def _chain(error: BaseException) -> list[BaseException]:
    found: list[BaseException] = []
    here: BaseException | None = error
    while here is not None and len(found) < _CAUSES and all(here is not one for one in found):
        found.append(here)
        here = here.__cause__ or (None if here.__suppress_context__ else here.__context__)
    return found


def _one(error: BaseException, length: int) -> dict[str, Any]:
    attributes = {}
    for name in ATTRIBUTES:
        try:
            value = getattr(error, name, None)
        except Exception:  # a property of somebody else's class
            continue
        if isinstance(value, bytes):
            value = value.decode("utf-8", "replace")
        if isinstance(value, (int, str)):
            attributes[name] = value if isinstance(value, int) else value[:_OTHERS]
    try:
        message = str(error)
    except Exception:
        message = ""
    types = [f"{kind.__module__}.{kind.__qualname__}" for kind in type(error).__mro__]
    return {
        "types": [
            name for name in types if name not in ("builtins.object", "builtins.BaseException")
        ],
        "message": message[:length],
        "attributes": attributes,
    }


def _frames(trace: TracebackType | None) -> list[FrameType]:
    frames = []
    while trace is not None:
        frames.append(trace.tb_frame)
        trace = trace.tb_next
    return frames


def _wanted(frames: list[FrameType]) -> dict[str, str]:
    """What was being fetched, from the variables of those who fetch. No query: it may be secret."""
    wanted: dict[str, str] = {}
    for frame in frames:
        top = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        known = frame.f_locals
        url = getattr(known.get("req"), "full_url", None) or known.get("url")
        if "url" not in wanted and isinstance(url, str) and url.startswith(("http:", "https:")):
            wanted["url"] = url.partition("?")[0][:_OTHERS]
        repository = known.get("repo_id")
        if top == "huggingface_hub" and isinstance(repository, str):
            wanted.setdefault("repository", repository[:_OTHERS])
    return wanted


def _versions(told: list[dict[str, Any]], frames: list[FrameType]) -> dict[str, str]:
    """Versions of the libraries that the messages or the user's own modules name."""
    named: dict[str, None] = {}
    for one in told:
        words = one["message"] + " " + str(one["attributes"].get("name", ""))
        named.update(dict.fromkeys(word.partition(".")[0] for word in words.split("'")))
        named.update(dict.fromkeys(words.split(".")[:1]))
    if frames:
        for value in list(frames[-1].f_globals.values()):
            module = value.__name__ if isinstance(value, ModuleType) else None
            module = module or getattr(value, "__module__", None)
            if isinstance(module, str):
                named[module.partition(".")[0]] = None
    versions: dict[str, str] = {}
    for name in named:
        version = vars(sys.modules.get(name, sys)).get("__version__")
        if isinstance(version, str) and len(versions) < _VERSIONS:
            versions[name] = str(version)
    return versions
