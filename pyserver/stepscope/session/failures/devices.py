"""An accelerator that is not there, or whose memory is too small."""

from __future__ import annotations

import re

from stepscope.session.failures.record import Answer, Ending, ended_well
from stepscope.session.model import Action, ActionKind

_RUN_ON_CPU = Action(ActionKind.RUN_ON_CPU)
_OFFER = "Run it on the CPU anyway (setting stepscope.cpu, or --cpu), or on a machine that has one."
_NO_BUILD = re.compile(
    r"Torch not compiled with (\w+) enabled"
    r"|compiled without (\w+) support"
    r"|requires (CUDA) support"
    r"|Cannot (?:get|initialize) (CUDA) (?:generator )?without ATen"
    r"|from the '(MPS|CUDA|XPU|HIP|HPU)' backend"
    r"|Tried to instantiate dummy base class (?:Event|Stream|CUDAGraph)"
    r"|module 'torch\._C' has no attribute '_(cuda|xpu)_"
    r"|functions not installed\. Are you sure you have a (CUDA) build"
)
_NO_DEVICE = (
    "Found no NVIDIA driver on your system", "No CUDA GPUs are available",
    "no CUDA-capable device is detected", "The NVIDIA driver on your system is too old",
    "CUDA unknown error", "Cannot access accelerator device when none is available",
    "No HIP GPUs are available", "CUDA driver version is insufficient",
)  # fmt: skip
_OTHER_NUMBER = ("invalid device ordinal", "device index out of range", "Invalid device id")
_GPU_MEMORY = ("torch.OutOfMemoryError", "torch.cuda.OutOfMemoryError")


def no_accelerator(ending: Ending) -> Answer | None:
    """A device is asked for by name on a machine, or a torch, that has none."""
    found = next((raised for raised in ending.chain if _NO_BUILD.search(raised.message)), None)
    if found is not None:
        match = _NO_BUILD.search(found.message)
        device = next((word for word in match.groups() if word), "CUDA") if match else "CUDA"
        if ending.request.cpu:
            return _not_redirected(ending, found.first_line)
        return Answer(
            f"{ending.name} asks for {device.upper()}{ending.at}, and torch in {ending.python} was "
            f"built without it. {_OFFER}",
            _RUN_ON_CPU,
        )
    found = ending.says(*_NO_DEVICE)
    if found is None:
        return None
    if ending.request.cpu:
        return _not_redirected(ending, found.first_line)
    return Answer(
        f"{ending.name} asks for a GPU{ending.at}, and torch found none on this machine "
        f"({_sentence(found.first_line)}). {_OFFER}",
        _RUN_ON_CPU,
    )


def checkpoint_of_a_gpu(ending: Ending) -> Answer | None:
    """``torch.load`` of a file that was saved on a GPU."""
    if ending.says("Attempting to deserialize object on a") is None:
        return None
    return Answer(
        f"{ending.name} loads a file that was saved on a GPU{ending.at}, and there is none here: "
        'give torch.load map_location="cpu", or run it on the CPU anyway (setting stepscope.cpu, '
        "or --cpu).",
        _RUN_ON_CPU,
    )


def checks_for_a_gpu(ending: Ending) -> Answer | None:
    """The script itself looks for a GPU and gives up."""
    line = ending.files.line(ending.place)
    asked = "is_available" in line or "device_count" in line
    assertion = ending.error is not None and ending.error.is_a("builtins.AssertionError")
    if not (asked and (assertion or not ended_well(ending.code))):
        return None
    return Answer(
        f"{ending.name} itself requires a GPU{ending.at} (`{line}`), and there is none here: "
        "change that line, or run it on a machine that has one."
    )


def other_kernels(ending: Ending) -> Answer | None:
    """A torch that was not built for this GPU."""
    found = ending.says("no kernel image is available for execution")
    if found is None:
        return None
    return Answer(
        f"{ending.name} stopped{ending.at}: torch in {ending.python} was not built for this GPU "
        "(no kernel image). Install the torch that pytorch.org names for it, or run it on the CPU "
        "anyway (setting stepscope.cpu, or --cpu).",
        _RUN_ON_CPU,
    )


def no_such_device(ending: Ending) -> Answer | None:
    """``cuda:3`` on a machine with two GPUs."""
    found = ending.says(*_OTHER_NUMBER)
    if found is None or not ("CUDA" in found.message or "device" in found.message):
        return None
    return Answer(
        f"{ending.name} asks for a GPU that this machine does not have{ending.at} "
        f"({_sentence(found.first_line)}): change the number, or run it on the CPU anyway (setting "
        "stepscope.cpu, or --cpu).",
        _RUN_ON_CPU,
    )


def out_of_gpu_memory(ending: Ending) -> Answer | None:
    """The GPU's memory is full."""
    found = ending.find(*_GPU_MEMORY) or ending.says("CUDA out of memory")
    if found is None:
        return None
    wanted = re.search(r"Tried to allocate ([\d.]+ \w+)", found.message)
    tried = f" when it wanted {wanted.group(1)} more" if wanted else ""
    return Answer(
        f"{ending.name} ran out of GPU memory{ending.at}{ending.when}{tried}: make the batch "
        "smaller, or end what else uses this GPU."
    )


def out_of_memory(ending: Ending) -> Answer | None:
    """The machine's memory is full."""
    found = ending.find("builtins.MemoryError") or ending.says("DefaultCPUAllocator: ")
    if found is None:
        return None
    wanted = re.search(r"tried to allocate (\d+) bytes", found.message)
    tried = f" when it wanted {int(wanted.group(1)) / 1e9:.3g} GB at once" if wanted else ""
    return Answer(
        f"{ending.name} ran out of memory{ending.at}{ending.when}{tried}: make the batch or "
        "the model smaller."
    )


def _not_redirected(ending: Ending, said: str) -> Answer:
    return Answer(
        f"{ending.name} asks for a GPU{ending.at} in a way that cannot be redirected to the CPU "
        f"({_sentence(said)}): change that line, or run it on a machine with a GPU."
    )


def _sentence(text: str) -> str:
    """The first sentence of a long message."""
    return re.split(r"(?<=\w)\. ", text, maxsplit=1)[0].rstrip(".")[:200]
