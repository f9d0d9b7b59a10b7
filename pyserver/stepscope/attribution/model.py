"""What attribution yields: the cost of every source line, as plain immutable data.

Times are milliseconds per step, sizes bytes, lines 1-based, paths absolute.
``None`` means *not measured*; it is never a stand-in for zero.
"""

from __future__ import annotations

from dataclasses import dataclass, field

LineKey = tuple[str, int]
"""(absolute file, 1-based line)."""


@dataclass(frozen=True, slots=True)
class StepTime:
    """Wall time of one step in the clean pass, which runs without any profiler (ms).

    ``mean`` is what a step takes with its part of all that happens only now and then, such as the
    beginning of an epoch; None: not known.
    """

    median: float
    p10: float
    p90: float
    mean: float | None = None


@dataclass(frozen=True, slots=True)
class Waits:
    """The part of a line's ``host_ms`` during which the host only waited (ms per step)."""

    data: float | None = None
    sync: float | None = None
    copy: float | None = None
    communication: float | None = None

    @property
    def total(self) -> float:
        """Every measured wait of the line, ms per step."""
        return sum(v for v in (self.data, self.sync, self.copy, self.communication) if v)


@dataclass(frozen=True, slots=True)
class Categories:
    """Bytes by what the memory is for."""

    parameter: int = 0
    gradient: int = 0
    optimizer: int = 0
    activation: int = 0
    input: int = 0
    temporary: int = 0

    @property
    def total(self) -> int:
        """All categories together, bytes."""
        return (
            self.parameter
            + self.gradient
            + self.optimizer
            + self.activation
            + self.input
            + self.temporary
        )


@dataclass(frozen=True, slots=True)
class OpCost:
    """One operator on one line. ``calls`` and ``work_ms`` are per step."""

    name: str
    calls: float
    work_ms: float
    shapes: str | None = None
    dtypes: str | None = None
    backward: bool = False


@dataclass(frozen=True, slots=True)
class LineCost:
    """Everything known about one executing source line.

    Three ledgers, never added to one another:

    * ``host_ms``  wall time of the step's thread while this was the innermost user line;
    * ``work_ms``  compute that this line caused, wherever it ran: ``forward_ms + backward_ms``
      (device busy time with an accelerator, else operator time);
    * ``cost_ms``  the line's part of the step: every moment of the step has exactly one owner,
      a backward operator's owner being its forward line. Lines plus unattributed = the step.

    ``worker_ms`` and ``worker_calls`` stand beside them: wall time and runs of the line in one of a
    DataLoader's worker processes, per batch. None: it was not seen to run there.
    """

    file: str
    line: int
    function: str
    calls: float
    cost_ms: float
    host_ms: float
    work_ms: float
    forward_ms: float
    backward_ms: float
    device_idle_ms: float | None = None
    wait_ms: Waits = field(default_factory=Waits)
    allocated_bytes: int | None = None
    live_at_peak_bytes: int | None = None
    categories: Categories | None = None
    flops: float | None = None
    bytes_moved: float | None = None
    launches: float | None = None
    regime: str | None = None  # "compute" | "memory" | "overhead"
    headroom_ms: float | None = None
    worker_ms: float | None = None
    worker_calls: float | None = None
    exact: bool = True
    fused_with: tuple[int, ...] = ()
    ops: tuple[OpCost, ...] = ()

    @property
    def key(self) -> LineKey:
        """Where the line is."""
        return (self.file, self.line)


@dataclass(frozen=True, slots=True)
class Breakdown:
    """Shares of the step by what bounded each moment; they sum to 1."""

    compute: float
    memory: float
    overhead: float
    data: float
    copy: float
    sync: float
    communication: float
    idle: float
    other: float


@dataclass(frozen=True, slots=True)
class Coverage:
    """Share of the step (``host``) and of operator time (``work``) with an exact user line."""

    host: float
    work: float


@dataclass(frozen=True, slots=True)
class Totals:
    """Whole analysed windows, not per step (ms).

    ``communication_ms`` is the time of collectives on the devices inside the steps, and
    ``hidden_ms`` the part of it during which the same device computed.
    """

    span_ms: float
    host_ms: float
    device_busy_ms: float | None
    communication_ms: float | None = None
    hidden_ms: float | None = None


@dataclass(frozen=True, slots=True)
class Unattributed:
    """What has no user line, in the same units as the lines, with the names it goes by."""

    host_ms: float
    work_ms: float
    cost_ms: float
    ops: tuple[OpCost, ...] = ()


@dataclass(frozen=True, slots=True)
class MemoryPoint:
    """Live bytes ``at_ms`` after the start of the step that was examined."""

    at_ms: float
    live_bytes: int


@dataclass(frozen=True, slots=True)
class MemoryProfile:
    """Live memory on the model's device, over one step of a run or over a whole recording.

    ``categories`` is None where a recording does not tell what memory is for.
    """

    peak_bytes: int
    reserved_bytes: int | None
    peak_line: LineKey | None
    categories: Categories | None
    timeline: tuple[MemoryPoint, ...] = ()
    before_bytes: int | None = None  # of the peak, allocated before the recording; None: not known


@dataclass(frozen=True, slots=True)
class Assumed:
    """A model that no script ran: how it was made and called, since somebody had to decide.

    ``file`` and ``line`` are the class; ``constructor`` and ``inputs`` are Python as one would
    write it; ``source`` says in words where they come from.
    """

    file: str
    line: int
    constructor: str
    inputs: str
    source: str


@dataclass(frozen=True, slots=True)
class FilesTouched:
    """What the target did to files, up to the capture. Absolute paths.

    ``kept`` existed before and were left as they are: writes went to private copies. ``created``
    are new. ``guard`` says how: "overlay", "functions" or "off".
    """

    guard: str
    kept: tuple[str, ...] = ()
    created: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RunInfo:
    """What was run, and how its steps were found."""

    target: str
    args: tuple[str, ...]
    python: str | None
    torch: str | None
    device: str  # "cpu", "cuda:0 NVIDIA H200", ...
    started: str | None  # ISO 8601, UTC
    steps: int  # of the clean pass
    warmup: int
    boundary: str  # how steps were found, one sentence
    model: str = ""  # class of the model that the optimizers hold, for headings
    process: str = "main"  # which process made the steps: "main", or a child in words
    assumed: Assumed | None = None
    files: FilesTouched | None = None


@dataclass(frozen=True, slots=True)
class RankCost:
    """One rank of a run of many. Times are ms per step.

    ``waited_ms`` is what it waited for others in collectives, ``late_ms`` what the others waited
    for it: the difference to the rank that was first, where this one was the last.
    """

    rank: int
    path: str
    device: str
    steps: int
    step_ms: float
    breakdown: Breakdown
    waited_ms: float | None
    late_ms: float | None


@dataclass(frozen=True, slots=True)
class Collective:
    """One kind of collective, as all ranks saw it. Times are ms per step.

    ``calls`` are those that could be matched over all ranks. ``transfer_ms`` is what the last rank
    to come took, ``wait_ms`` how much longer the first took. ``late_rank`` came last most often, in
    ``late_share`` of the calls; meanwhile it was on ``late_line``, or in the operator ``doing``,
    longer than the others.
    """

    name: str
    calls: float
    transfer_ms: float
    wait_ms: float
    late_rank: int
    late_share: float
    late_line: LineKey | None
    doing: str


@dataclass(frozen=True, slots=True)
class LineSkew:
    """A line whose cost differs between ranks, ms per step."""

    file: str
    line: int
    function: str
    low_ms: float
    high_ms: float
    slowest_rank: int


@dataclass(frozen=True, slots=True)
class Ranks:
    """The ranks of one run side by side. ``missing``: of ``world_size``, nothing was found."""

    world_size: int | None
    missing: tuple[int, ...]
    ranks: tuple[RankCost, ...]
    collectives: tuple[Collective, ...]
    lines: tuple[LineSkew, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Profile:
    """One run, attributed: the input of diagnosis and of every view."""

    run: RunInfo
    step_ms: StepTime
    tax: float | None
    totals: Totals
    breakdown: Breakdown
    coverage: Coverage
    lines: tuple[LineCost, ...]  # sorted by file, line
    unattributed: Unattributed
    memory: MemoryProfile | None
    sources: dict[str, str]  # file -> text as it was when it ran
    notes: tuple[str, ...] = ()
    ranks: Ranks | None = None  # where several ranks of the run were looked at
    recomputed_ms: float | None = None  # part of the work that activation checkpointing repeats
    work_measured: bool = True  # False: no operator was recorded, so work is unknown, not zero
    timed: bool = True  # False: no clock ran beside it (a memory snapshot); no time here is known
    whole_functions: bool = False  # a line stands for all of the function that begins on it
