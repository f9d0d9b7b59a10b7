"""The environment that a target runs in: this process's own, made to look like a terminal's."""

from __future__ import annotations

import shutil
from collections.abc import Mapping

from stepscope.session.model import ProfileRequest

_VISIBLE_DEVICES = ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES")


def environment_for(request: ProfileRequest, base: Mapping[str, str]) -> dict[str, str]:
    """``base`` with what the target lacks without a terminal, and with what was asked for."""
    environment = dict(base)
    size = shutil.get_terminal_size()
    environment.setdefault("COLUMNS", str(size.columns))
    environment.setdefault("LINES", str(size.lines))
    environment.setdefault("TERM", "dumb")
    # A window that waits for a click would hang the run; pictures are still drawn.
    environment.setdefault("MPLBACKEND", "Agg")
    # Kineto reports each start and stop on standard error, which is the target's.
    environment.setdefault("KINETO_LOG_LEVEL", "6")
    if request.cpu:
        # Libraries that ask the driver themselves find nothing either.
        environment.update(dict.fromkeys(_VISIBLE_DEVICES, ""))
    environment.update(request.env)
    return environment
