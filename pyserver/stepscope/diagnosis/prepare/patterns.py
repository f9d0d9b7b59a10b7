"""The operators of a step among one another -> ``Patterns``."""

from __future__ import annotations

from stepscope.attribution.attribute import Attributed
from stepscope.diagnosis.facts.patterns import Patterns
from stepscope.diagnosis.op_times import op_times
from stepscope.diagnosis.patterns import attention, elementwise, others
from stepscope.diagnosis.patterns.shapes import shapes


def prepare(attributed: Attributed) -> Patterns | None:
    """None where no operators were recorded."""
    times = op_times(attributed)
    if times is None or not times.forward:
        return None
    given = shapes(attributed)
    sources = {file: text.splitlines() for file, text in attributed.profile.sources.items()}
    totals = others.totals(times, given)
    anomaly_ms, checks = others.anomaly_checks(times)
    return Patterns(
        attention=attention.written_out(times, given, sources),
        math_attention=attention.fallen_back(times, given),
        norms=elementwise.norms(times, sources),
        chains=elementwise.chains(times, given),
        copies=others.copies(times),
        factories=others.factories(times),
        biased=others.biased_convolutions(attributed, times),
        clip=others.gradient_norms(times),
        anomaly_ms=anomaly_ms,
        anomaly_checks=checks,
        convolutions_ms=totals.convolutions,
        half_convolutions_ms=totals.half,
        convolutions_line=max(totals.by_line, key=lambda line: totals.by_line[line], default=None),
        dropout_ms=totals.dropout,
        batch_norms_ms=totals.batch_norm,
    )
