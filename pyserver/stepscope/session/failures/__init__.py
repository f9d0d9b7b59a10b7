"""Every way in which a run ends without a capture, as one sentence, a place and what to do next."""

from stepscope.session.failures.endings import (
    CRASHES,
    REPORTED,
    bad_request,
    cancelled,
    cannot_start,
    chosen_loop_not_reached,
    died,
    ended_early,
    from_message,
    of_rank,
    timed_out,
)
from stepscope.session.failures.record import ended_well
from stepscope.session.failures.told import Told

__all__ = [
    "CRASHES",
    "REPORTED",
    "Told",
    "bad_request",
    "cancelled",
    "cannot_start",
    "chosen_loop_not_reached",
    "died",
    "ended_early",
    "ended_well",
    "from_message",
    "of_rank",
    "timed_out",
]
