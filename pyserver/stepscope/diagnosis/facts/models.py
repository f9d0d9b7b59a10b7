"""What the run knows of the modules that were called and of the settings around them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Models:
    """Counts over all called modules and what is below them.

    ``training_dropouts`` and ``training_norms`` are in training mode; ``channels_last`` counts the
    two-dimensional convolutions whose weights lie so. ``data_parallel`` holds the number of devices
    of each ``DataParallel``. ``device_bytes`` are parameters by device. ``trains`` says whether a
    backward pass or an optimizer step was recorded. ``threads_asked_for``: an environment variable
    sets the number of threads.
    """

    training_dropouts: int
    training_norms: int
    convolutions: int
    channels_last: int
    data_parallel: tuple[int, ...]
    device_bytes: dict[str, int]
    compiled: bool
    cudnn_benchmark: bool
    cudnn_deterministic: bool
    accelerator_there: bool
    threads_asked_for: bool
    trains: bool
