"""The file expects to be one of several processes, or to start some."""

from __future__ import annotations

import re

from stepscope.session.failures.record import Answer, Ending
from stepscope.session.model import Action, ActionKind

_RANKS = frozenset(
    ("RANK", "LOCAL_RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "LOCAL_WORLD_SIZE",
     "GROUP_RANK", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", "OMPI_COMM_WORLD_RANK")
)  # fmt: skip
_PROCESSES = 2  # what is offered: the fewest that are a distributed run
_START_SO = (
    "Have torchrun start it (setting stepscope.processesPerNode, or --processes "
    f"{_PROCESSES}; 1 where there is one GPU)."
)
_BY_HAND = (
    "torchrun, which started it, does not set it: give it in the setting stepscope.env, or with "
    "--env."
)
_BOOTSTRAP = "has finished its bootstrapping phase"
_PORT = ("Address already in use", "EADDRINUSE", "address already in use")


def needs_a_launcher(ending: Ending) -> Answer | None:
    """The variables that torchrun (or SLURM, or mpirun) sets are not there."""
    error = ending.error
    if error is None:
        return None
    variable = None
    if error.is_a("builtins.KeyError"):
        name = error.message.strip("'\"")
        variable = name if name in _RANKS else None
    found = ending.says("using env:// rendezvous")
    if found is not None:
        named = re.search(r"environment variable (\w+) expected", found.message)
        variable = named.group(1) if named else "RANK"
    line = ending.files.line(ending.place)
    if variable is None and error.is_a("builtins.TypeError", "builtins.ValueError"):
        # int(os.environ.get("RANK"))
        read = [name for name in sorted(_RANKS) if f'"{name}"' in line or f"'{name}'" in line]
        variable = read[0] if read and "int(" in line else None
    if variable is None:
        return None
    if ending.request.processes is not None:
        return Answer(
            f"{ending.name} reads the environment variable {variable}{ending.at}. {_BY_HAND}"
        )
    return Answer(
        f"{ending.name} expects to be started by torchrun{ending.at}: the environment variable "
        f"{variable} is not set. {_START_SO}",
        Action(ActionKind.SET_PROCESSES, (str(_PROCESSES),)),
    )


def no_nccl(ending: Ending) -> Answer | None:
    """Communication between GPUs, where there is none, or where it failed."""
    found = ending.says("have NCCL built in", "no GPUs found", "NCCL error", "ncclInvalidUsage",
                        "ncclSystemError", "ncclUnhandledCudaError")  # fmt: skip
    if found is None:
        return None
    if "ncclInvalidUsage" in found.message or "NCCL error" in found.message:
        return Answer(
            f"{ending.name} failed in NCCL{ending.at} ({found.first_line}): see that each rank "
            f"has a GPU of its own{_fewer(ending)}; NCCL_DEBUG=INFO in the environment makes it "
            "say more."
        )
    return Answer(
        f'{ending.name} wants the backend "nccl"{ending.at}, which needs NVIDIA GPUs: use '
        '"gloo" here, or run it on a machine with GPUs.'
    )


def _fewer(ending: Ending) -> str:
    if (ending.request.processes or 1) == 1:
        return ""
    return " (setting stepscope.processesPerNode, or --processes, says how many there are)"


def port_in_use(ending: Ending) -> Answer | None:
    """The rendezvous's (or a server's) port belongs to somebody else."""
    found = ending.says(*_PORT)
    if found is None:
        return None
    named = re.search(r"port[:\s]+(\d+)|:(\d{4,5})\b", found.message)
    port = next((number for number in named.groups() if number), None) if named else None
    which = f"port {port}" if port else "a port"
    return Answer(
        f"{ending.name} wants {which}{ending.at}, which another process uses: end that process "
        "(an earlier run, perhaps), or have the script use another port (MASTER_PORT)."
    )


def no_main_guard(ending: Ending) -> Answer | None:
    """Workers that are spawned run the file anew, and it starts workers again."""
    if ending.says(_BOOTSTRAP) is None and _BOOTSTRAP not in ending.errors:
        return None
    return Answer(
        f'{ending.name} starts processes{ending.at} outside `if __name__ == "__main__":`, and '
        "each of them runs the whole file again: put what the file does under that line."
    )


def worker_died(ending: Ending) -> Answer | None:
    """A DataLoader's worker was killed: mostly by the system, for memory."""
    found = ending.says("DataLoader worker (pid")
    if found is None or not re.search(r"killed by signal|exited unexpectedly", found.message):
        return None
    if "shared memory" in found.message or "Bus error" in found.message:
        return Answer(
            f"{ending.name} lost a DataLoader worker{ending.at}: there is too little shared memory "
            "(/dev/shm). Give it more (docker run --shm-size), or use fewer workers."
        )
    return Answer(
        f"{ending.name} lost a DataLoader worker{ending.at} ({found.first_line}): set "
        "num_workers=0 to see the error of the worker itself, or use fewer workers if memory is "
        "short."
    )
