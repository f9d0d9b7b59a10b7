"""Batches that come late now and then, though their loader's workers keep up.

Batches that are late in turn, one for each worker, are another matter: then the workers are too
slow, and whatever they prepare ahead is used up. So it takes how long a batch takes a worker.
"""

from __future__ import annotations

from dataclasses import dataclass

from stepscope.diagnosis.facts import Facts
from stepscope.diagnosis.facts.loaders import LoaderFacts, Loaders
from stepscope.diagnosis.facts.workers import WorkerBatches


@dataclass(frozen=True, slots=True)
class LateThresholds:
    """What counts as late, and as now and then.

    ``late``: a wait of this share of the step. ``seldom``: where more than a third of the batches
    are late the loader is simply slow. ``batches``: fewer tell nothing about what is seldom.
    ``load``: workers that need more than 80 % of the time they have cannot catch up, whatever is
    prepared ahead.
    """

    late: float = 0.10
    seldom: float = 1 / 3
    batches: int = 8
    load: float = 0.8


THRESHOLDS = LateThresholds()


@dataclass(frozen=True, slots=True)
class Late:
    """The late batches of one loader.

    ``wait_ms`` is what they cost per step, ``longest_ms`` the longest single wait, ``load`` the
    share of their time that the workers need.
    """

    late: int
    batches: int
    wait_ms: float
    longest_ms: float
    load: float


def late_now_and_then(facts: Facts, loader: LoaderFacts) -> Late | None:
    """None where batches are not late, are late often, or where that cannot be told."""
    loaders, workers = facts.measured(Loaders), facts.measured(WorkerBatches)
    step, waits = facts.profile.step_ms.median, loader.waits_ms
    if loaders is None or workers is None or len(loaders.with_workers()) != 1 or step <= 0:
        return None  # whose batches those are is known of a single loader only
    if not loader.num_workers or len(waits) < THRESHOLDS.batches:
        return None
    late = [ms for ms in waits if ms >= THRESHOLDS.late * step]
    usual = max(0.0, step - loader.wait_ms)
    needed = workers.typical_ms * loader.batches_per_step / loader.num_workers
    if not late or len(late) > THRESHOLDS.seldom * len(waits) or needed > THRESHOLDS.load * usual:
        return None
    wait = sum(late) / len(waits) * loader.batches_per_step
    return Late(len(late), len(waits), wait, max(late), needed / usual if usual else 0.0)
