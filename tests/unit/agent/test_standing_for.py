"""A wrapper of ours must not show in the target's warnings, nor change what is wrapped."""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

from stepscope.agent import standing_for as module
from stepscope.agent.standing_for import looked_through, standing_for


def load(path: str) -> str:
    """Load it."""
    warnings.warn("loading is deprecated", FutureWarning, stacklevel=2)
    return path


def warned_at(function: Callable[[str], str]) -> tuple[str, int]:
    """File and line that a warning of ``function``, called here, names; and the call's line."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function("weights.pt")
    (warning,) = caught
    return Path(warning.filename).name, warning.lineno


def test_a_warning_names_the_line_that_called_the_wrapper() -> None:
    @standing_for(load)
    def wrapper(path: str) -> str:
        return load(path)

    @looked_through
    def twice(path: str) -> str:
        return wrapper(path)

    @functools.wraps(load)
    def plain(path: str) -> str:
        return load(path)

    here = warned_at(load)
    assert here[0] == Path(__file__).name
    assert warned_at(plain) != here
    assert warned_at(wrapper) == here
    assert warned_at(twice) == here


def test_the_wrapper_has_the_name_of_what_it_wraps() -> None:
    @standing_for(load)
    def wrapper(path: str) -> str:
        return load(path)

    assert (wrapper.__name__, wrapper.__doc__) == ("load", "Load it.")


def test_its_frames_count_as_ours() -> None:
    @looked_through
    def wrapper() -> str:
        return sys._getframe().f_code.co_filename

    assert Path(wrapper()).parent == Path(module.__file__).parent
