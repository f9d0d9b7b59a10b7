"""When a file is profiled through a model made for it, instead of being run to its own steps."""

from __future__ import annotations

import contextlib
from typing import Any

from stepscope.session.failures import ended_well
from stepscope.session.model import Failure, FailureKind, ProfileRequest
from stepscope.session.purpose import purpose_of

_SMOKE_CALLS = 8  # a smoke test calls a few modules once; more is work of its own
_SMOKE_BACKWARDS = 2


def at_once(request: ProfileRequest) -> dict[str, Any] | None:
    """The wish for such a run where the file need not be run first, None where it must be.

    Expressions of the person's own decide; else a file of nothing but definitions.
    """
    if request.loop is not None:
        return None
    if request.model_expression or request.inputs_expression:
        return _wish(request)
    return _wish(request) if purpose_of(_source(request)).only_defines else None


def after_end(request: ProfileRequest, ended: dict[str, Any]) -> dict[str, Any] | None:
    """The same for a file that ended by itself without having trained."""
    if not (ended["torch"] and ended["defined"]) or ended["boundary"] == "chosen":
        return None
    if not ended_well(ended["code"]):
        if request.symbol is None or purpose_of(_source(request)).trains:
            return None
        return _wish(request, f"it called exit({ended['code']}).")
    counts = ended["counts"]
    worked = counts["optimizer"] or counts["framework"] or counts["explicit"]
    worked = worked or counts["backward"] > _SMOKE_BACKWARDS
    if worked or ended["loop"] or counts["module"] > _SMOKE_CALLS:
        return None
    return None if purpose_of(_source(request)).trains else _wish(request)


def after_failure(request: ProfileRequest, failure: Failure) -> dict[str, Any] | None:
    """The same for a class that was asked for by name, in a file that failed before any step.

    A file that trains is left to its own failure: that is what the person has to know.
    """
    if failure.kind is not FailureKind.TARGET_FAILED or request.symbol is None:
        return None
    source = _source(request)
    if purpose_of(source).trains or request.loop is not None:
        return None
    return _wish(request, failure.message)


def _wish(request: ProfileRequest, because: str | None = None) -> dict[str, Any]:
    return {
        "symbol": request.symbol,
        "model": request.model_expression,
        "inputs": request.inputs_expression,
        "settings": {
            name: {"model": model, "inputs": inputs} for name, model, inputs in request.model_inputs
        },
        "because": because,
    }


def _source(request: ProfileRequest) -> bytes:
    with contextlib.suppress(OSError):
        return request.target.read_bytes()
    return b""
