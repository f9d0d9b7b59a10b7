"""train-mode-inference: nothing is trained, but dropout drops and batch norms learn."""

from __future__ import annotations

from stepscope import format as fmt
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.host import Host
from stepscope.diagnosis.facts.models import Models
from stepscope.diagnosis.facts.patterns import Patterns
from stepscope.diagnosis.finding import Finding
from stepscope.diagnosis.gates import abstain, negligible, share_of_step, silent
from stepscope.diagnosis.rule import Rule
from stepscope.diagnosis.saying import Gain, found, of_step

NAME = "train-mode-inference"


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """One finding, on the statement of the loop that runs the model."""
    models, patterns = facts.measured(Models), facts.measured(Patterns)
    host = facts.measured(Host)
    if models is None or patterns is None:
        return abstain(NAME, "modules or operators were not looked at")
    if models.trains:
        return silent(NAME, "the step trains")
    if not models.training_dropouts + models.training_norms:
        return silent(NAME, "no dropout or batch norm is in training mode")
    ms = patterns.dropout_ms if models.training_dropouts else 0.0
    whole = ms + (patterns.batch_norms_ms if models.training_norms else 0.0)
    if negligible(facts, whole):
        return silent(NAME, f"dropout and batch norms take {whole:.3f} ms")
    key = host.forward_line if host is not None else None
    if key is None:
        return abstain(NAME, "no statement of the loop runs the model")
    layers = [
        fmt.plural(number, word)
        for number, word in (
            (models.training_dropouts, "dropout"),
            (models.training_norms, "batch norm"),
        )
        if number
    ]
    return found(
        NAME,
        facts,
        key,
        f"Nothing is trained in this step, but {' and '.join(layers)} of the model are in training "
        f"mode: they take {of_step(facts, whole)} and change the results from call to call. "
        "model.eval() before the loop ends that.",
        {
            "layers_ms": whole,
            "share": share_of_step(facts, whole),
            "dropouts": models.training_dropouts,
            "batch_norms": models.training_norms,
        },
        Gain(0.0, whole, "All of dropout and batch norm, at most."),
    )


RULE = Rule(name=NAME, title="Inference in training mode", evaluate=evaluate)
