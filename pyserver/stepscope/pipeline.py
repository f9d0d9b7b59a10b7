"""One run from request to report: the only place where the stages are put in a row."""

from __future__ import annotations

from stepscope.report.model import Report
from stepscope.session.model import CancelToken, OnOutput, OnProgress, ProfileRequest


def profile_target(
    request: ProfileRequest,
    on_progress: OnProgress,
    on_output: OnOutput,
    cancel: CancelToken,
) -> Report:
    """Run the target, attribute its step, diagnose it. Blocks; call it off the event loop.

    ``on_output`` gets the target's own output as raw bytes. Raises ``session.model.Failure``
    when no report could be made; nothing of the run is left behind then either.
    """
    raise NotImplementedError
