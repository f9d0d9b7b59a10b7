"""One attributed run -> the facts that rules read.

One module here per family: its ``prepare(attributed)`` returns a value of the type in the module of
the same name in ``diagnosis.facts``, or None where that was not measured. Nothing lists them, and
one that fails takes no other with it.
"""

from __future__ import annotations

import logging
import pkgutil
from collections.abc import Callable
from functools import cache
from importlib import import_module

from stepscope.attribution.attribute import Attributed, Ledgers
from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.machine import Machine

log = logging.getLogger(__name__)

Prepare = Callable[[Attributed], "object | None"]


def prepare_facts(attributed: Attributed) -> Facts:
    """Everything a rule may look at, from one attributed run."""
    families: list[object] = []
    failed: list[str] = []
    for name, prepare in discover_families().items():
        try:
            family = prepare(attributed)
        except Exception:
            # The rules that need this family abstain; the others still have theirs.
            log.exception("the facts %r could not be prepared", name)
            failed.append(name)
            continue
        if family is None:
            log.debug("the facts %r were not measured", name)
        else:
            families.append(family)
    machine = _machine(attributed.ledgers)
    return Facts(attributed.profile, machine, tuple(families), tuple(failed))


@cache
def discover_families() -> dict[str, Prepare]:
    """What prepares each family, by module name."""
    found: dict[str, Prepare] = {}
    for module_info in pkgutil.iter_modules(__path__):
        prepare = getattr(import_module(f"{__name__}.{module_info.name}"), "prepare", None)
        if prepare is not None:
            found[module_info.name] = prepare
    return found


def _machine(ledgers: Ledgers) -> Machine:
    facts, peaks = ledgers.timeline.facts, ledgers.peaks
    return Machine(
        device=facts["device_type"],
        device_name=facts["device_name"],
        cores=facts["cores"],
        threads=facts["threads"],
        float32_peak=peaks.float32,
        bfloat16_peak=peaks.half,
        peaks_source=peaks.source,
    )
