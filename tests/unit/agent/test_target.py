"""What a target's own traceback looks like: as if Python alone had run it."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from stepscope.agent import target

OWN = str(Path(target.__file__).with_name("wrapper.py"))


def run(source: str, file: str, **names: Any) -> dict[str, Any]:
    """Execute ``source`` as the text of ``file``."""
    exec(compile(source, file, "exec"), names)
    return names


def wrapped(function: Callable[[], None]) -> Callable[[], None]:
    """``function``, called from a frame of the agent's folder."""
    source = "def go():\n    function()\n"
    return run(source, OWN, function=function)["go"]  # type: ignore[no-any-return]


def frames(error: BaseException | None) -> list[str]:
    """Names of the files in the traceback, outermost first, without this one."""
    assert error is not None
    files = [Path(frame.filename).name for frame in traceback.extract_tb(error.__traceback__)]
    return [file for file in files if file != Path(__file__).name]


def raised(function: Callable[[], None]) -> BaseException:
    try:
        function()
    except BaseException as error:
        return error
    raise AssertionError("it did not raise")


def test_no_frame_of_the_agent_stays_between_the_targets_own() -> None:
    load = wrapped(run("def load():\n    raise ValueError\n", "torch.py")["load"])
    main = wrapped(run("def main():\n    load()\n", "train.py", load=load)["main"])
    error = raised(main)
    assert frames(error).count("wrapper.py") == 2
    assert target.forget_own_frames(error) is error.__traceback__
    assert frames(error) == ["train.py", "torch.py"]


def test_the_errors_that_led_to_it_are_told_without_the_agent_too() -> None:
    load = wrapped(run("def load():\n    raise KeyError\n", "torch.py")["load"])
    again = "def main():\n    try:\n        load()\n    except KeyError as e:\n        {}\n"
    for how, link in (("raise ValueError from e", "__cause__"), ("1 / 0", "__context__")):
        error = raised(run(again.format(how), "train.py", load=load)["main"])
        first = getattr(error, link)
        assert frames(first) == ["train.py", "wrapper.py", "torch.py"]
        target.forget_own_frames(error)
        assert frames(first) == ["train.py", "torch.py"]


def test_an_error_that_leads_to_itself_ends() -> None:
    error = raised(wrapped(run("def load():\n    raise ValueError\n", "torch.py")["load"]))
    other = KeyError()
    error.__context__, other.__context__ = other, error
    target.forget_own_frames(error)
    assert frames(error) == ["torch.py"]
