"""A file that ``torch.load`` will not read."""

from __future__ import annotations

import re

from stepscope.session.failures.record import Answer, Ending


def weights_only(ending: Ending) -> Answer | None:
    """The file holds more than tensors, and torch 2.6 reads nothing else unless told to."""
    found = ending.says("Weights only load failed", "WeightsUnpickler error")
    if found is None:
        return None
    named = re.search(r"GLOBAL (\S+) was not an allowed global", found.message) or re.search(
        r"Unsupported (?:global|class) (\S+)", found.message
    )
    holds = f" ({named.group(1)})" if named else ""
    return Answer(
        f"{ending.name} loads a file{ending.at} that holds more than tensors{holds}, which "
        "torch.load refuses since torch 2.6: if you trust the file, give torch.load "
        "weights_only=False; if not, save its state_dict() anew."
    )
