"""Our own runs of the bench's scripts, in this process, with nobody watching."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from pathlib import Path

from stepscope.attribution.model import Profile
from stepscope.pipeline import profile_target
from stepscope.session.model import CancelToken, ProfileRequest
from stepscope.session.run import captured


def profile(script: Path, *arguments: str, steps: int | None = None) -> Profile:
    """What the report says of the script. Raises ``session.model.Failure``."""
    request = ProfileRequest(script, arguments, sys.executable, steps=steps)
    return profile_target(request, _nobody, _nobody, CancelToken()).profile


def capture(script: Path, *arguments: str) -> AbstractContextManager[Path]:
    """The script's capture file; it is gone when the context is left."""
    request = ProfileRequest(script, arguments, sys.executable)
    return captured(request, _nobody, _nobody, CancelToken())


def _nobody(told: object) -> None:
    """Progress and output go nowhere."""
