"""type-round-trip: change the type where the tensor is."""

from __future__ import annotations

import ast

from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.source import Source, calls, header
from stepscope.diagnosis.spelled import host_types
from stepscope.fixes.edits import positions_are_true, replace
from stepscope.fixes.model import Fix, TextEdit

RULE = "type-round-trip"


def fix(finding: Finding, source: Source, line: int) -> Fix | None:
    """``x.type(torch.LongTensor).to(device)`` becomes ``x.type(torch.int64).to(device)``.

    Only where the statement copies the result to a device at once: otherwise it is meant to be on
    the host, as far as anybody can tell.
    """
    place = source.place_at(line)
    if place is None:
        return None
    written = [call for part in header(place.statement) for call in calls(part)]
    found = host_types(written)
    if not found:
        # x.cpu()...to(device), say: what is done between the two decides.
        names = {call.func.attr for call in written if isinstance(call.func, ast.Attribute)}
        if names & {"cpu", "numpy"} and names & {"to", "cuda"}:
            return Fix("Do this on the device, without .cpu()", ())
        return None
    moved = {
        id(call.func.value)
        for call in written
        if isinstance(call.func, ast.Attribute) and call.func.attr in ("to", "cuda")
    }
    edits: list[TextEdit] = []
    for call, given, dtype in found:
        if id(call) not in moved or not positions_are_true(source, call):
            return Fix(f"Give the dtype (torch.{dtype}) if this may stay on the device", ())
        edits.append(
            replace(finding.file, source.start(given), source.end(given), f"torch.{dtype}")
        )
    return Fix("Change the type where the tensor is", tuple(edits))
