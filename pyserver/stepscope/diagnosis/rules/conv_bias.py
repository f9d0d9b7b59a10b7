"""conv-bias: a convolution's bias that the batch norm right behind it takes away again."""

from __future__ import annotations

from stepscope import format as fmt
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.patterns import BiasedConvolution, Patterns
from stepscope.diagnosis.finding import Finding, Severity
from stepscope.diagnosis.gates import abstain, negligible, share_of_step, silent
from stepscope.diagnosis.places import Construction, biased_constructions
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.saying import Gain, found, of_step

NAME = "conv-bias"


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding per construction whose convolution was seen to go into a batch norm."""
    patterns = facts.measured(Patterns)
    if patterns is None:
        return abstain(NAME, "operators were not recorded")
    if not patterns.biased:
        return silent(NAME, "no convolution with a bias goes into a batch norm")
    constructions = biased_constructions(facts.profile.sources)
    findings: list[Finding] = []
    for construction in constructions:
        seen = [one for one in patterns.biased if construction.may_be(one.line)]
        if seen:
            findings += _say(facts, construction, max(seen, key=lambda one: one.ms))
    return tuple(findings) or abstain(NAME, "the lines that make the convolutions are not known")


def _say(
    facts: Facts, construction: Construction, convolution: BiasedConvolution
) -> tuple[Finding, ...]:
    if negligible(facts, convolution.ms):
        return silent(NAME, f"the convolution takes {convolution.ms:.3f} ms")
    why = "A batch norm right behind this convolution subtracts the mean, and with it the bias"
    if convolution.bias_ms is None:
        return found(
            NAME,
            facts,
            construction.key,
            f"{why}: its {fmt.count(convolution.channels)} values and their gradients are computed "
            "for nothing. What they take was not measured: it is part of the convolution here.",
            {
                "channels": convolution.channels,
                "convolution_ms": convolution.ms,
                "share": share_of_step(facts, convolution.ms),
            },
            at_most=Severity.HINT,
        )
    return found(
        NAME,
        facts,
        construction.key,
        f"{why}: adding it takes {of_step(facts, convolution.bias_ms)}, for nothing.",
        {
            "channels": convolution.channels,
            "bias_ms": convolution.bias_ms,
            "share": share_of_step(facts, convolution.bias_ms),
        },
        Gain(0.0, convolution.bias_ms, "All of adding the bias."),
    )


RULE = Rule(name=NAME, title="A bias that the next layer takes away", evaluate=evaluate)
