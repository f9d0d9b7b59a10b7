"""A target that came to its end without a step: a normal answer, with what was seen of it."""

from __future__ import annotations

import re
from typing import Any

_LONGEST = 200
_BUSY_CHILDREN_S = 1.0
_NOT_TEXT = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f]")
_MARK = (
    "Choose the loop whose passes are the steps (the lens above it, or --loop LINE), or call "
    "stepscope.step() at the end of each."
)


def last_words(output: str) -> str:
    """`` Its last line of output: "..."``, or nothing: scripts say there why they stop."""
    for line in reversed(output.splitlines()):
        text = _NOT_TEXT.sub("", line.rpartition("\r")[2]).strip()
        if text:
            text = text if len(text) <= _LONGEST else text[:_LONGEST] + " …"
            return f' Its last line of output: "{text}".'
    return ""


def no_step(message: dict[str, Any], name: str) -> str:
    """Why there was nothing to measure; ``message`` is the agent's "ended"."""
    ticks, counts = message["ticks"], message["counts"]
    if not message["torch"]:
        return f"{name} ended without importing torch, so there was nothing to profile."
    if ticks:
        steps = f"{ticks} step{'s' if ticks > 1 else ''}"
        return f"{name} ended after {steps}; at least two are needed to measure one."
    children_s = message.get("children_s") or 0.0
    if children_s >= _BUSY_CHILDREN_S and not counts["module"]:
        return (
            f"{name} ended without a step of its own: other processes that it started did the "
            f"work ({children_s:.0f} s of processor time). Profile the file that those run, or "
            "have it train in the process that you start."
        )
    if not any(counts.values()):
        if message.get("found_no_gpu"):
            return (
                f"{name} ended without a step: it asks how many GPUs there are, and this machine "
                "has none. Have it work with one process on the CPU then, or run it where a GPU is."
            )
        defined = message.get("defined") or []
        if defined:
            names = ", ".join(defined[:3]) + (" and more" if len(defined) > 3 else "")
            return (
                f"{name} ended without a step: it defines {names} and calls no model. Profile the "
                "file that trains or runs it, or call it in a loop under "
                '`if __name__ == "__main__":`.'
            )
    elif counts["module"] == 1 and not counts["backward"]:
        return (
            f"{name} ended without a step: it called a model once, and one call cannot be told "
            "from its warm-up. Call it several times in a loop."
        )
    return (
        f"{name} ended without a step: no optimizer step, backward pass or repeated module "
        f"call was seen. {_MARK}"
    )
