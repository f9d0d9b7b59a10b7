"""One rank of a distributed run: who it is, its files in the run's folder, its end with the others.

Ranks need no connection of ours. They record the same steps because their plan counts steps and
nothing else, and what they have to know of each other stands in the folder: one small manifest per
rank, and a capture that exists only when it is whole.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import socket
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

# What tells a process its place: torchrun (and everything that speaks its protocol), Open MPI,
# MPICH and its kin, SLURM. The rank, how many there are, the rank on this machine, how many here.
_PLACES = (
    ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"),
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
     "OMPI_COMM_WORLD_LOCAL_SIZE"),
    ("PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"),
    ("SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", "SLURM_NTASKS_PER_NODE"),
)  # fmt: skip

PATIENCE_S = 20.0
"""How long a rank that has recorded its steps stands still for the others to have theirs."""
LONGEST_S = 300.0
"""How long it goes on making steps after that, before it ends without knowing of the others."""
_STOP_S = 3.0  # from everybody's last capture to the end of a rank that hangs in a collective
_LOOK_S = 0.05

NO_RANK: dict[str, Any] = {"rank": None, "world_size": None, "run_id": None, "host": None}
"""The facts of a capture that is not one of several."""


def place_in(environment: Mapping[str, str]) -> dict[str, int] | None:
    """``rank``, ``world_size``, ``local_rank``, ``local_size``; None where no launcher told them.

    Raises ``ValueError`` with a sentence where what it told makes no sense.
    """
    for names in _PLACES:
        rank, size = environment.get(names[0]), environment.get(names[1])
        if rank is None or size is None:
            continue
        local, local_size = environment.get(names[2]), environment.get(names[3], "")
        try:
            place = {
                "rank": int(rank),
                "world_size": int(size),
                "local_rank": int(rank if local is None else local),
                # SLURM may write "4(x2)" where nodes differ; it is only used to share memory out.
                "local_size": int(local_size) if local_size.isdecimal() else 1,
            }
        except ValueError:
            raise ValueError(f"{names[0]}={rank} and {names[1]}={size} name no rank.") from None
        if not 0 <= place["rank"] < place["world_size"]:
            raise ValueError(f"{names[0]}={rank} is no rank of {names[1]}={size}.")
        return place
    return None


def run_id_in(environment: Mapping[str, str]) -> str:
    """What the ranks of one run share and other runs do not, as far as their launcher tells."""
    elastic = environment.get("TORCHELASTIC_RUN_ID", "none")
    parts = [elastic] if elastic != "none" else []
    names = ("SLURM_JOB_ID", "SLURM_STEP_ID", "SLURM_RESTART_COUNT", "PMIX_NAMESPACE",
             "MASTER_ADDR", "MASTER_PORT", "TORCHELASTIC_RESTART_COUNT")  # fmt: skip
    parts += [environment.get(name, "") for name in names]
    return hashlib.sha256("\n".join(parts).encode("utf-8", "replace")).hexdigest()[:16]


def capture_name(rank: int) -> str:
    """The file of a rank's capture; names sort by rank up to a hundred thousand of them."""
    return f"rank{rank:05d}.capture"


def manifest_name(rank: int) -> str:
    """The file that tells of a rank from its start on."""
    return f"rank{rank:05d}.json"


class Rank:
    """This process's rank. ``place`` is plain data, so that a spawned child can have it too."""

    def __init__(self, place: dict[str, Any]) -> None:
        """``place`` holds what ``place_in`` tells, ``run_id`` and ``folder``."""
        self.number: int = place["rank"]
        self.size: int = place["world_size"]
        self.local_size: int = place["local_size"]
        self.run_id: str = place["run_id"]
        self.recorded = False  # its capture is written
        self._stops = threading.Event()
        self._local: int = place["local_rank"]
        self._folder: str = place["folder"]
        self._host = socket.gethostname()
        self._manifest = os.path.join(self._folder, manifest_name(self.number))
        self._others = _Others(self._folder, self.number, self.size, self.run_id)

    @property
    def words(self) -> str:
        """``rank 0 of 2``."""
        return f"rank {self.number} of {self.size}"

    @property
    def capture(self) -> str:
        """Where its capture goes."""
        return os.path.join(self._folder, capture_name(self.number))

    def notes(self) -> list[str]:
        """What the reader of this one capture must know."""
        if self.size == 1:
            return []
        return [f"This is rank {self.number} of {self.size}; all ranks recorded the same steps."]

    def begin(self, target: str, started: str) -> None:
        """Before the target runs: no capture of an earlier run stays, and the others can see us."""
        os.makedirs(self._folder, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.capture)
        self._write(
            {
                "run_id": self.run_id,
                "rank": self.number,
                "world_size": self.size,
                "local_rank": self._local,
                "host": self._host,
                "pid": os.getpid(),
                "started": started,
                "target": target,
                "capture": capture_name(self.number),
                "state": "running",
            }
        )

    def tell(self, state: str) -> None:
        """Say in the manifest how it stands: recorded, ended or failed."""
        with open(self._manifest, encoding="utf-8") as source:
            self._write({**json.load(source), "state": state})

    def _write(self, manifest: dict[str, Any]) -> None:
        partial = f"{self._manifest}.partial"
        with open(partial, "w", encoding="utf-8") as out:
            json.dump(manifest, out)
        os.replace(partial, self._manifest)

    def facts(self, torch: Any) -> dict[str, Any]:
        """What its capture says of it. The target's own process group knows best who is who."""
        number, size = self.number, self.size
        distributed = torch.distributed
        if distributed.is_available() and distributed.is_initialized():
            number, size = distributed.get_rank(), distributed.get_world_size()
        return {"rank": number, "world_size": size, "run_id": self.run_id, "host": self._host}

    def finish(self) -> bool:
        """The capture is written: wait for the others. Whether this rank may stop now.

        All ranks have come to the same end of a step, so a rank that stands still holds nobody up
        and all stop there together. Where the steps of ranks are not the same ones, it would: so
        after ``PATIENCE_S`` it goes on. It is ended when the others have their captures, wherever
        it is then.
        """
        self.recorded = True
        self.tell("recorded")
        if self._others.await_all(PATIENCE_S):
            return True
        threading.Thread(target=self._end_with_others, name="stepscope-ranks", daemon=True).start()
        return False

    def stops(self) -> bool:
        """Whether this rank, which went on after its capture, may stop at this step's end."""
        if self._others.all_done():
            self._stops.set()
        return self._stops.is_set()

    def _end_with_others(self) -> None:
        self._others.await_all(LONGEST_S)
        # In a collective that nobody else joins any more there is no end of a step to wait for.
        if not self._stops.wait(_STOP_S):
            os._exit(0)


class _Others:
    """The other ranks of the run, as far as the folder tells of them."""

    def __init__(self, folder: str, own: int, size: int, run_id: str) -> None:
        self._folder = folder
        self._run_id = run_id
        # Ranks on other machines may have a folder of the same name there: those never appear here.
        self._unknown = set(range(size)) - {own}
        self._waiting: set[int] = set()

    def await_all(self, seconds: float, now: Callable[[], float] = time.monotonic) -> bool:
        """Wait until all are done; False where that takes longer than ``seconds``."""
        deadline = now() + seconds
        while not self.all_done():
            if now() >= deadline:
                return False
            time.sleep(_LOOK_S)
        return True

    def all_done(self) -> bool:
        """Whether all that are known of are done."""
        if self._unknown:
            for rank in sorted(self._unknown & self._present()):
                if self._state(rank) is not None:
                    self._unknown.discard(rank)
                    self._waiting.add(rank)
        for rank in sorted(self._waiting):
            if self._state(rank) == "running":
                return False
            self._waiting.discard(rank)
        return True

    def _present(self) -> set[int]:
        """Ranks with a manifest, of whichever run."""
        found = set()
        with contextlib.suppress(OSError), os.scandir(self._folder) as entries:
            for entry in entries:
                name = entry.name
                if name.startswith("rank") and name.endswith(".json") and name[4:-5].isdecimal():
                    found.add(int(name[4:-5]))
        return found

    def _state(self, rank: int) -> str | None:
        """What a rank last said of itself; None: nothing in this run."""
        path = os.path.join(self._folder, manifest_name(rank))
        try:
            with open(path, encoding="utf-8") as source:
                told = json.load(source)
        except (OSError, ValueError):
            return None
        return str(told["state"]) if told.get("run_id") == self._run_id else None
