"""The classes of failures that a first run meets, in the order in which they are tried.

A new class is one function and one entry here.
"""

from __future__ import annotations

from stepscope.session.failures import (
    arguments,
    checkpoints,
    devices,
    imports,
    network,
    paths,
    processes,
    terminal,
)
from stepscope.session.failures.record import Answer, Ending, Recogniser

# The more an error says about itself, the earlier it is tried. What is told from the user's own
# line comes late, since a line may hold a word by accident.
RECOGNISERS: tuple[Recogniser, ...] = (
    imports.missing_module,
    imports.missing_name,
    devices.out_of_gpu_memory,
    devices.out_of_memory,
    devices.checkpoint_of_a_gpu,
    devices.no_accelerator,
    devices.other_kernels,
    devices.no_such_device,
    imports.missing_attribute,
    checkpoints.weights_only,
    network.refused,
    network.no_network,
    network.data_set_not_there,
    processes.no_main_guard,
    processes.worker_died,
    processes.no_nccl,
    processes.port_in_use,
    processes.needs_a_launcher,
    arguments.missing_configuration,
    arguments.required_arguments,
    arguments.usage_as_exit_code,
    terminal.wants_input,
    terminal.wants_a_terminal,
    terminal.notebook,
    paths.relative_path,
    paths.permission,
    arguments.argument_by_index,
    devices.checks_for_a_gpu,
    imports.unknown_keyword,
)


def recognise(ending: Ending) -> Answer | None:
    """What the first recogniser that knows this ending says, None where none does."""
    for recogniser in RECOGNISERS:
        answer = recogniser(ending)
        if answer is not None:
            return answer
    return None
