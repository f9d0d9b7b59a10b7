"""What operators were given, from the recording that has shapes."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from stepscope.attribution.attribute import Attributed
from stepscope.attribution.inputs import Inputs, parse_inputs
from stepscope.attribution.model import LineKey
from stepscope.timeline.model import NOWHERE

NOTHING = Inputs()


@dataclass(slots=True)
class Shapes:
    """Forward operators by line and name, in order, as often as they ran in the recorded steps."""

    by_place: dict[tuple[LineKey, str], list[Inputs]] = field(default_factory=dict)

    def of(self, line: LineKey | None, name: str, number: int = 0) -> Inputs:
        """The inputs of the ``number``-th such operator, counted on over the steps."""
        known = self.by_place.get((line, name)) if line is not None else None
        return known[number % len(known)] if known else NOTHING


def shapes(attributed: Attributed) -> Shapes:
    """Empty where no shapes were recorded."""
    detail, timeline = attributed.detail, attributed.ledgers.timeline
    found: dict[tuple[LineKey, str], list[Inputs]] = defaultdict(list)
    if detail is None or detail.recording.ops is None or not detail.recording.steps:
        return Shapes()
    ops, owned = detail.recording.ops, detail.owned
    begin, end = detail.recording.bounds[0], detail.recording.bounds[-1]
    parsed: dict[int, Inputs] = {}
    for i in owned.order:
        text = ops.inputs[i]
        if owned.backward[i] or text < 0 or not begin <= ops.start[i] < end:
            continue
        if owned.owner[i] == NOWHERE:
            continue
        if text not in parsed:
            parsed[text] = parse_inputs(timeline.strings[text])
        place = timeline.places[owned.owner[i]]
        found[((place.file, place.line), timeline.strings[ops.name[i]])].append(parsed[text])
    return Shapes(dict(found))
