"""Wrappers that the target cannot tell from what they wrap."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import Any, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])

# warnings.warn(stacklevel=2) means the caller of a function, and shows that line. It passes over
# frames of files that have these two words in their names, as the import system's have; so a
# warning names the target's line, or torch's, and not the wrapper. Still a file of our folder.
_PASSED_OVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "importlib_bootstrap.py")


def standing_for(original: Any) -> Callable[[_Function], _Function]:
    """Decorate a wrapper of ``original``: it has its name, and warnings look through it."""

    def decorate(wrapper: _Function) -> _Function:
        functools.update_wrapper(wrapper, original)
        return looked_through(wrapper)

    return decorate


def looked_through(function: _Function) -> _Function:
    """Let warnings look through the frames of ``function``, which is ours."""
    python: Any = function
    python.__code__ = python.__code__.replace(co_filename=_PASSED_OVER)
    return function
