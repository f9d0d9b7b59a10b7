"""The file wants a terminal with a person at it, or a notebook."""

from __future__ import annotations

import re

from stepscope.session.failures.record import Answer, Ending

_NOT_A_TERMINAL = 25  # ENOTTY
_HERE = "Stepscope runs it without one"


def wants_input(ending: Ending) -> Answer | None:
    """``input()`` with nobody to answer."""
    error = ending.error
    if error is None or not error.is_a("builtins.EOFError"):
        return None
    if "reading a line" not in error.message and "input(" not in ending.files.line(ending.place):
        return None
    return Answer(
        f"{ending.name} asks a question and waits for the answer{ending.at}, and there is nobody "
        "to give one: have it read the answer from an argument, or leave the question out."
    )


def wants_a_terminal(ending: Ending) -> Answer | None:
    """termios, curses, ``stty``, the size of the terminal."""
    found = ending.find("termios.error", "_curses.error")
    if found is None:
        error = ending.find("builtins.OSError")
        if error is not None and error.attributes.get("errno") == _NOT_A_TERMINAL:
            found = error
    if found is not None:
        said = found.first_line
    else:
        stty = re.search(r"^stty: .*$", ending.errors, re.MULTILINE)
        if stty is None or not ending.chain:
            return None
        said = stty.group(0)
    return Answer(
        f"{ending.name} needs a terminal{ending.at}, and {_HERE} ({said}): use "
        "shutil.get_terminal_size(), which does without, or skip that part where "
        "sys.stdin.isatty() is false."
    )


def notebook(ending: Ending) -> Answer | None:
    """Lines that only IPython understands."""
    error = ending.error
    if error is None:
        return None
    line = ending.files.line(ending.place) or str(error.attributes.get("text") or "").strip()
    if error.is_a("builtins.SyntaxError") and re.match(r"(%{1,2}[a-zA-Z]|![\w./~-])", line):
        return Answer(
            f"{ending.name} holds a line for notebooks{ending.at} (`{line}`), which Python does "
            "not understand: take it out, or put it into a notebook."
        )
    missing = error.attributes.get("name")
    if error.is_a("builtins.NameError") and missing in ("get_ipython", "display"):
        return Answer(
            f"{ending.name} uses {missing}{ending.at}, which only notebooks have: take the line "
            "out, or run it only where IPython does."
        )
    return None
