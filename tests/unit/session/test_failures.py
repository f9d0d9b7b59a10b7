"""Each class of first-run failure: its sentence, and what can be done at once."""

from __future__ import annotations

import errno
import os
import re
import socket
import sys
import termios
import urllib.error
from collections.abc import Callable
from dataclasses import dataclass
from importlib.machinery import BuiltinImporter
from pathlib import Path

import pytest

from stepscope.session.failures.imports import DISTRIBUTIONS
from stepscope.session.failures.no_step import last_words, no_step
from stepscope.session.failures.record import Ending, Files, Place
from stepscope.session.failures.table import RECOGNISERS, recognise
from stepscope.session.model import Action, ActionKind, ProfileRequest
from tests.unit.session.records import PYTHON, TARGET, ending, raised, really

NOTHING: dict[str, str] = {}
CPU = Action(ActionKind.RUN_ON_CPU)
ARGS = Action(ActionKind.SET_ARGS)
CHOOSE = Action(ActionKind.CHOOSE_INTERPRETER)
GIVE = "Give them in the setting stepscope.args, or after the file on the command line."
OFFER = "Run it on the CPU anyway (setting stepscope.cpu, or --cpu), or on a machine that has one."


@dataclass
class Case:
    """An ending, what is said about it, and what is offered. ``text`` is the whole message."""

    name: str
    ending: Ending | Callable[[], Ending]
    text: str
    action: Action | None = None


def missing(module: str) -> Ending:
    """Importing ``module`` where it is not installed; here it may be, for other tests."""

    def imported() -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.delitem(sys.modules, module, raising=False)
            patch.setattr(sys, "meta_path", [BuiltinImporter])
            __import__(module)

    return ending(*really(imported))


def name_error(name: str) -> Ending:
    return ending(*really(lambda: eval(name, {})))


def syntax_error(line: str) -> Ending:
    return ending(*really(lambda: compile(f"\n\n{line}\n", "train.py", "exec")), line=line)


def installs(module: str, wanted: str, quoted: str | None = None) -> Case:
    return Case(
        f"missing {module}",
        missing(module),
        f"train.py imports {module} at train.py:3, which is not installed in {PYTHON}: run "
        f"`{PYTHON} -m pip install {quoted or wanted}`, or choose the interpreter that has it.",
        Action(ActionKind.INSTALL, (wanted,)),
    )


def os_error(number: int, path: str) -> Ending:
    return ending(*really(lambda: _raise(OSError(number, os.strerror(number), path))))


def _raise(error: Exception) -> None:
    raise error


def _offline() -> None:
    try:
        raise socket.gaierror(-2, "Name or service not known")
    except OSError as error:
        raise urllib.error.URLError(error) from error


URLOPEN = really(_offline)

ARGPARSE = """\
usage: train.py [-h] --epochs EPOCHS
                data {x} ...
train.py: error: the following arguments are required: data, --epochs, cmd
"""
CLICK = """\
Usage: train.py [OPTIONS] OUT
Try 'train.py --help' for help.

Error: Missing argument 'OUT'.
"""
FIRE = """\
ERROR: The function received no value for the required argument: data
Usage: train.py DATA <flags>
  optional flags:        --out

For detailed information on this command, run:
  train.py --help
"""
TYRO = """\
╭─ Required options ──────╮
│ Missing from train.py:  │
│     --data STR          │
│         (required)      │
│ ─────────────────────── │
│ For full helptext, run: │
│     train.py --help     │
╰─────────────────────────╯
"""
HYDRA = """\
Error executing job with overrides: []
Traceback (most recent call last):
  File "train.py", line 9, in main
omegaconf.errors.MissingMandatoryValue: Missing mandatory value: data
    full_key: data
"""
POOL = (
    "HTTPSConnectionPool(host='data.invalid', port=443): Max retries exceeded with url: /x (Caused "
    "by NameResolutionError(\"HTTPSConnection(host='data.invalid', port=443): Failed to resolve "
    "'data.invalid' ([Errno -2] Name or service not known)\"))"
)
HUB = (
    "An error happened while trying to locate the file on the Hub and we cannot find the requested "
    "files in the local cache. Please check your connection and try again or make sure your "
    "Internet connection is on."
)
NO_BUILD = "Torch not compiled with CUDA enabled"
NO_DRIVER = (
    "Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed "
    "a driver from http://www.nvidia.com/Download/index.aspx"
)
DESERIALIZE = (
    "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If "
    "you are running on a CPU-only machine, please use torch.load with map_location="
    "torch.device('cpu') to map your storages to the CPU."
)
WEIGHTS = (
    "Weights only load failed. This file can still be loaded, to do so you have two options, "
    "do those steps only if you trust the source of the checkpoint. \n\t(1) In PyTorch 2.6, we "
    "changed the default value of the `weights_only` argument in `torch.load` from `False` to "
    "`True`.\n\tWeightsUnpickler error: Unsupported global: GLOBAL __main__.A was not an allowed "
    "global by default."
)
RENDEZVOUS = (
    "Error initializing torch.distributed using env:// rendezvous: environment variable RANK "
    "expected, but not set"
)
BOOTSTRAP = (
    "\n        An attempt has been made to start a new process before the\n        current process "
    "has finished its bootstrapping phase."
)
GPU_MEMORY = (
    "CUDA out of memory. Tried to allocate 20.00 GiB. GPU 0 has a total capacity of 15.77 GiB of "
    "which 14.80 GiB is free."
)
HOST_MEMORY = (
    "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: you "
    "tried to allocate 400000000000 bytes. Error code 12 (Cannot allocate memory)"
)
SHM = (
    "DataLoader worker (pid 77) is killed by signal: Bus error. It is possible that dataloader's "
    "workers are out of shared memory. Please try to raise your shared memory limit."
)
START_SO = (
    "Have torchrun start it (setting stepscope.processesPerNode, or --processes 2; 1 where there "
    "is one GPU)."
)


def launcher(name: str) -> str:
    return (
        "train.py expects to be started by torchrun at train.py:3: the environment variable "
        f"{name} is not set. {START_SO}"
    )


def skew(what: str, package: str, version: str) -> str:
    return (
        f"train.py stopped at train.py:3: {what} in {package} {version}, which is installed in "
        f"{PYTHON}. The file was probably written for another version of {package}: look for one "
        "in its requirements, or change the line."
    )


RUNTIME = "builtins.RuntimeError"
ASSERTION = "builtins.AssertionError"
URL = {"url": "https://data.invalid/sets/mnist.gz"}
NETWORK = (
    "there is no connection to it. Connect this machine to the network, or put the files where the "
    "script looks for them and run it again."
)

CASES = [
    # Imports
    installs("no_such_package_xyz", "no_such_package_xyz"),
    installs("cv2", "opencv-python"),
    installs("sklearn.linear_model".partition(".")[0], "scikit-learn"),
    installs("yaml", "pyyaml"),
    installs("PIL", "pillow"),
    installs("pkg_resources", "setuptools<81", "'setuptools<81'"),
    Case(
        "a module of the repository",
        ending(
            *really(lambda: __import__("our_models_xyz.net")),
            request=ProfileRequest(TARGET, workspace=(Path("/home/me"),)),
            files={"/home/me/src/our_models_xyz/net.py": ""},
        ),
        "train.py imports our_models_xyz at train.py:3, which is in /home/me/src, but Python does "
        "not look for modules there: add that folder to PYTHONPATH (setting stepscope.env, or "
        "--env PYTHONPATH=/home/me/src).",
        Action(ActionKind.SET_ENV, ("PYTHONPATH=/home/me/src",)),
    ),
    Case(
        "a part that the library lacks",
        ending(*really(lambda: __import__("json.no_such_part")), versions={"json": "1.0"}),
        skew("there is no module json.no_such_part", "json", "1.0"),
        CHOOSE,
    ),
    Case(
        "taken out of Python",
        ending(raised("builtins.ModuleNotFoundError", "No module named 'imp'", name="imp")),
        "train.py imports imp at train.py:3, which Python 3.12 took out of its standard library: "
        "choose an older interpreter.",
        CHOOSE,
    ),
    Case(
        "a name that the library lacks",
        ending(*really(lambda: exec("from json import no_such_name")), versions={"json": "2.0.9"}),
        skew("json has no no_such_name", "json", "2.0.9"),
        CHOOSE,
    ),
    Case(
        "an attribute that the library lacks",
        ending(
            raised("builtins.AttributeError", "module 'numpy' has no attribute 'float'.\nmore"),
            versions={"numpy": "2.4.6"},
        ),
        skew("numpy has no float", "numpy", "2.4.6"),
        CHOOSE,
    ),
    Case(
        "two modules that import each other",
        ending(
            raised(
                "builtins.ImportError",
                "cannot import name 'nn' from partially initialized module 'torch' (most likely "
                "due to a circular import) (/home/me/project/torch.py)",
            )
        ),
        "train.py cannot import nn from torch at train.py:3: the two modules import each other. "
        "Most often a file of yours has the name of a library and is imported in its place: rename "
        "torch.py.",
    ),
    Case(
        "a file with the name of a library",
        ending(
            raised(
                "builtins.AttributeError",
                "partially initialized module 'torch' has no attribute 'Tensor' (most likely due "
                "to a circular import)",
            ),
            place=Place("/home/me/project/cuda.py", 2),
        ),
        "train.py found no Tensor in torch at cuda.py:2, which is still being imported. Most often "
        "a file of yours has the name of a library and is imported in its place: rename cuda.py.",
    ),
    Case(
        "a keyword that the library lacks",
        ending(
            raised(
                "builtins.TypeError",
                "ReduceLROnPlateau.__init__() got an unexpected keyword argument 'verbose'",
            ),
            line="s = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, verbose=True)",
            versions={"torch": "2.13.0"},
        ),
        skew("ReduceLROnPlateau takes no verbose", "torch", "2.13.0"),
        CHOOSE,
    ),
    # Arguments
    Case(
        "argparse",
        ending(code="2", errors=ARGPARSE),
        "train.py needs other arguments: the following arguments are required: data, --epochs, "
        f"cmd. Usage: train.py [-h] --epochs EPOCHS data {{x}} ... {GIVE}",
        ARGS,
    ),
    Case(
        "click",
        ending(code="2", errors=CLICK),
        "train.py needs other arguments: Missing argument 'OUT'. "
        f"Usage: train.py [OPTIONS] OUT. {GIVE}",
        ARGS,
    ),
    Case(
        "fire",
        ending(code="2", errors=FIRE),
        "train.py needs other arguments: The function received no value for the required argument: "
        f"data. Usage: train.py DATA <flags>. {GIVE}",
        ARGS,
    ),
    Case(
        "tyro",
        ending(code="2", errors=TYRO),
        f"train.py needs other arguments: --data STR is required. {GIVE}",
        ARGS,
    ),
    Case(
        "hydra",
        ending(code="1", errors=HYDRA),
        "train.py needs a value for data at train.py:3: add data=VALUE to the setting "
        "stepscope.args, or after the file on the command line.",
        ARGS,
    ),
    Case(
        "a usage of its own",
        ending(code="1", output="Usage: train.py DATA\n"),
        f"train.py needs arguments: Usage: train.py DATA. {GIVE}",
        ARGS,
    ),
    Case(
        "a usage as the exit code",
        ending(code="'usage: train.py DATA'"),
        f"train.py needs arguments: usage: train.py DATA. {GIVE}",
        ARGS,
    ),
    Case(
        "sys.argv",
        ending(*really(lambda: sys.argv[99]), line="data = sys.argv[1]"),
        "train.py reads more arguments at train.py:3 (`data = sys.argv[1]`) than the 0 it was "
        f"given. {GIVE}",
        ARGS,
    ),
    # The network
    Case(
        "urllib",
        ending(*URLOPEN, wanted=URL),
        f"train.py could not fetch mnist.gz from data.invalid at train.py:3: {NETWORK}",
    ),
    Case(
        "requests",
        ending(raised("requests.exceptions.ConnectionError", POOL, "builtins.OSError")),
        f"train.py could not fetch something from data.invalid at train.py:3: {NETWORK}",
    ),
    Case(
        "httpx",
        ending(raised("httpx.ConnectError", "[Errno -2] Name or service not known"), wanted=URL),
        f"train.py could not fetch mnist.gz from data.invalid at train.py:3: {NETWORK}",
    ),
    Case(
        "huggingface_hub",
        ending(
            raised(
                "huggingface_hub.errors.LocalEntryNotFoundError",
                HUB,
                "builtins.FileNotFoundError",
                "builtins.OSError",
            ),
            raised("httpx.ConnectError", "[Errno -2] Name or service not known"),
            wanted={"repository": "gpt2"},
        ),
        f"train.py could not fetch gpt2 from huggingface.co at train.py:3: {NETWORK}",
    ),
    Case(
        "huggingface_hub, offline",
        ending(
            raised(
                "huggingface_hub.errors.OfflineModeIsEnabled",
                "Cannot reach https://huggingface.co/api/models/gpt2: offline mode is enabled. To "
                "disable it, please unset the `HF_HUB_OFFLINE` environment variable.",
                "builtins.ConnectionError",
                "builtins.OSError",
            )
        ),
        "train.py wants gpt2 from huggingface.co at train.py:3, but offline mode is on "
        "(HF_HUB_OFFLINE) and it is not in the cache: fetch it once with the mode off.",
    ),
    Case(
        "torch.hub",
        ending(
            raised(
                RUNTIME,
                "It looks like there is no internet connection and the repo could not be found in "
                "the cache (/root/.cache/torch/hub)",
            ),
            *URLOPEN,
            wanted={"url": "https://github.com/pytorch/vision/tree/main/"},
        ),
        f"train.py could not fetch main from github.com at train.py:3: {NETWORK}",
    ),
    Case(
        "a host that refuses",
        ending(
            *really(
                lambda: _raise(
                    urllib.error.HTTPError(URL["url"], 404, "Not Found", None, None)  # type: ignore[arg-type]
                )
            ),
            wanted=URL,
        ),
        "train.py could not fetch mnist.gz at train.py:3: data.invalid refused it (status 404). It "
        "may have moved or need an account; fetch it by hand, or change the address.",
    ),
    Case(
        "torchvision's data set",
        ending(
            raised(RUNTIME, "Dataset not found. You can use download=True to download it"),
            line='data = MNIST("data")',
        ),
        'train.py found no data set at train.py:3 (`data = MNIST("data")`) in the folder that it '
        "names. Fetch it once with download=True, or, if the folder is meant from elsewhere, run "
        "the file there (setting stepscope.cwd, or --cwd).",
        Action(ActionKind.SET_CWD),
    ),
    # Paths
    Case(
        "a path from the target's folder",
        ending(
            *really(lambda: open("data/no_such.txt")),  # noqa: PTH123, SIM115
            files={"/home/me/project/data/no_such.txt": ""},
        ),
        "train.py looks for data/no_such.txt at train.py:3 in /home/me; it is in "
        "/home/me/project: run the file there (setting stepscope.cwd, or --cwd /home/me/project).",
        Action(ActionKind.SET_CWD, ("/home/me/project",)),
    ),
    Case(
        "a path from the repository",
        ending(
            *really(lambda: open("data/no_such.txt")),  # noqa: PTH123, SIM115
            request=ProfileRequest(
                TARGET, cwd=Path("/home/me/project"), workspace=(Path("/home/me"),)
            ),
            files={"/home/me/data/no_such.txt": ""},
        ),
        "train.py looks for data/no_such.txt at train.py:3 in /home/me/project; it is in /home/me: "
        "run the file there (setting stepscope.cwd, or --cwd /home/me).",
        Action(ActionKind.SET_CWD, ("/home/me",)),
    ),
    Case(
        "a file that is to be written there",
        ending(
            *really(lambda: open("out/no_such.txt", "w")),  # noqa: PTH123, SIM115
            files={"/home/me/project/out/other.txt": ""},
        ),
        "train.py looks for out/no_such.txt at train.py:3 in /home/me; /home/me/project has the "
        "folder out: run the file there (setting stepscope.cwd, or --cwd /home/me/project).",
        Action(ActionKind.SET_CWD, ("/home/me/project",)),
    ),
    Case(
        "a path from nowhere",
        os_error(errno.ENOENT, "data/no_such.txt"),
        "train.py needs data/no_such.txt at train.py:3, and neither /home/me, where it ran, nor a "
        "folder near it has that: put it there, or run the file in the folder that has it (setting "
        "stepscope.cwd, or --cwd).",
        Action(ActionKind.SET_CWD),
    ),
    Case(
        "an absolute path",
        os_error(errno.ENOENT, "/data/train.bin"),
        "train.py needs /data/train.bin at train.py:3, which does not exist on this machine: put "
        "it there, or tell the script another path.",
    ),
    Case(
        "permission",
        os_error(errno.EACCES, "logs"),
        "train.py may not use /home/me/logs at train.py:3 (permission denied): change its "
        "permissions, or have the script use a folder of yours.",
    ),
    # Devices
    Case(
        "a torch without CUDA",
        ending(raised(ASSERTION, NO_BUILD)),
        f"train.py asks for CUDA at train.py:3, and torch in {PYTHON} was built without it. "
        f"{OFFER}",
        CPU,
    ),
    Case(
        "a torch without MPS",
        ending(
            raised(
                "builtins.NotImplementedError",
                "Could not run 'aten::empty.memory_format' with arguments from the 'MPS' backend.",
            )
        ),
        f"train.py asks for MPS at train.py:3, and torch in {PYTHON} was built without it. {OFFER}",
        CPU,
    ),
    Case(
        "set_device",
        ending(
            raised(
                "builtins.AttributeError", "module 'torch._C' has no attribute '_cuda_setDevice'"
            ),
            versions={"torch": "2.13.0"},
        ),
        f"train.py asks for CUDA at train.py:3, and torch in {PYTHON} was built without it. "
        f"{OFFER}",
        CPU,
    ),
    Case(
        "no driver",
        ending(raised(RUNTIME, NO_DRIVER)),
        "train.py asks for a GPU at train.py:3, and torch found none on this machine (Found no "
        f"NVIDIA driver on your system). {OFFER}",
        CPU,
    ),
    Case(
        "not to be redirected",
        ending(raised(RUNTIME, NO_DRIVER), request=ProfileRequest(TARGET, cpu=True)),
        "train.py asks for a GPU at train.py:3 in a way that cannot be redirected to the CPU "
        "(Found no NVIDIA driver on your system): change that line, or run it on a machine with a "
        "GPU.",
    ),
    Case(
        "a checkpoint of a GPU",
        ending(raised(RUNTIME, DESERIALIZE)),
        "train.py loads a file that was saved on a GPU at train.py:3, and there is none here: give "
        'torch.load map_location="cpu", or run it on the CPU anyway (setting stepscope.cpu, or '
        "--cpu).",
        CPU,
    ),
    Case(
        "another GPU's torch",
        ending(
            raised(RUNTIME, "CUDA error: no kernel image is available for execution on the device")
        ),
        f"train.py stopped at train.py:3: torch in {PYTHON} was not built for this GPU (no kernel "
        "image). Install the torch that pytorch.org names for it, or run it on the CPU anyway "
        "(setting stepscope.cpu, or --cpu).",
        CPU,
    ),
    Case(
        "a GPU too many",
        ending(raised(RUNTIME, "CUDA error: invalid device ordinal\nCUDA kernel errors might")),
        "train.py asks for a GPU that this machine does not have at train.py:3 (CUDA error: "
        "invalid device ordinal): change the number, or run it on the CPU anyway (setting "
        "stepscope.cpu, or --cpu).",
        CPU,
    ),
    Case(
        "it checks itself",
        ending(raised(ASSERTION, ""), line="assert torch.cuda.is_available()"),
        "train.py itself requires a GPU at train.py:3 (`assert torch.cuda.is_available()`), and "
        "there is none here: change that line, or run it on a machine that has one.",
    ),
    Case(
        "GPU memory",
        ending(raised("torch.OutOfMemoryError", GPU_MEMORY, RUNTIME), ticks=2),
        "train.py ran out of GPU memory at train.py:3 after 2 steps when it wanted 20.00 GiB more: "
        "make the batch smaller, or end what else uses this GPU.",
    ),
    Case(
        "memory",
        ending(raised(RUNTIME, HOST_MEMORY)),
        "train.py ran out of memory at train.py:3 before its first step when it wanted 400 GB at "
        "once: make the batch or the model smaller.",
    ),
    Case(
        "memory, in Python",
        ending(*really(lambda: bytearray(10**15)), ticks=1),
        "train.py ran out of memory at train.py:3 after 1 step: make the batch or the model "
        "smaller.",
    ),
    # torch.load
    Case(
        "weights_only",
        ending(raised("_pickle.UnpicklingError", WEIGHTS)),
        "train.py loads a file at train.py:3 that holds more than tensors (__main__.A), which "
        "torch.load refuses since torch 2.6: if you trust the file, give torch.load "
        "weights_only=False; if not, save its state_dict() anew.",
    ),
    # Processes
    Case(
        "RANK",
        ending(*really(lambda: NOTHING["LOCAL_RANK"])),
        launcher("LOCAL_RANK"),
        Action(ActionKind.SET_PROCESSES, ("2",)),
    ),
    Case(
        "rendezvous",
        ending(raised("builtins.ValueError", RENDEZVOUS)),
        launcher("RANK"),
        Action(ActionKind.SET_PROCESSES, ("2",)),
    ),
    Case(
        "int of nothing",
        ending(
            *really(lambda: int(None)),  # type: ignore[call-overload]
            line='size = int(os.environ.get("WORLD_SIZE"))',
        ),
        launcher("WORLD_SIZE"),
        Action(ActionKind.SET_PROCESSES, ("2",)),
    ),
    Case(
        "a variable of another launcher",
        ending(
            *really(lambda: NOTHING["SLURM_PROCID"]),
            request=ProfileRequest(TARGET, cwd=Path("/home/me"), processes=2),
        ),
        "train.py reads the environment variable SLURM_PROCID at train.py:3. torchrun, which "
        "started it, does not set it: give it in the setting stepscope.env, or with --env.",
    ),
    Case(
        "more ranks than GPUs",
        ending(
            raised(RUNTIME, "NCCL error in: x.cpp:3, invalid usage, ncclInvalidUsage"),
            request=ProfileRequest(TARGET, cwd=Path("/home/me"), processes=2),
        ),
        "train.py failed in NCCL at train.py:3 (NCCL error in: x.cpp:3, invalid usage, "
        "ncclInvalidUsage): see that each rank has a GPU of its own (setting "
        "stepscope.processesPerNode, or --processes, says how many there are); NCCL_DEBUG=INFO in "
        "the environment makes it say more.",
    ),
    Case(
        "nccl",
        ending(raised(RUNTIME, "Distributed package doesn't have NCCL built in")),
        'train.py wants the backend "nccl" at train.py:3, which needs NVIDIA GPUs: use "gloo" '
        "here, or run it on a machine with GPUs.",
    ),
    Case(
        "port",
        ending(
            raised(
                RUNTIME,
                "The server socket has failed to listen on any local network address. port: 29500,"
                " useIpv6: false, code: -98, name: EADDRINUSE, message: address already in use",
            )
        ),
        "train.py wants port 29500 at train.py:3, which another process uses: end that process "
        "(an earlier run, perhaps), or have the script use another port (MASTER_PORT).",
    ),
    Case(
        "no main guard",
        ending(raised(RUNTIME, BOOTSTRAP)),
        'train.py starts processes at train.py:3 outside `if __name__ == "__main__":`, and each '
        "of them runs the whole file again: put what the file does under that line.",
    ),
    Case(
        "shared memory",
        ending(raised(RUNTIME, SHM)),
        "train.py lost a DataLoader worker at train.py:3: there is too little shared memory "
        "(/dev/shm). Give it more (docker run --shm-size), or use fewer workers.",
    ),
    # Terminal, notebook
    Case(
        "input",
        ending(raised("builtins.EOFError", "EOF when reading a line")),
        "train.py asks a question and waits for the answer at train.py:3, and there is nobody to "
        "give one: have it read the answer from an argument, or leave the question out.",
    ),
    Case(
        "termios",
        ending(*really(lambda: termios.tcgetattr(os.open(os.devnull, os.O_RDONLY)))),
        "train.py needs a terminal at train.py:3, and Stepscope runs it without one ((25, "
        "'Inappropriate ioctl for device')): use shutil.get_terminal_size(), which does without, "
        "or skip that part where sys.stdin.isatty() is false.",
    ),
    Case(
        "the terminal's size",
        ending(*really(lambda: os.get_terminal_size(os.open(os.devnull, os.O_RDONLY)))),
        "train.py needs a terminal at train.py:3, and Stepscope runs it without one ([Errno 25] "
        "Inappropriate ioctl for device): use shutil.get_terminal_size(), which does without, or "
        "skip that part where sys.stdin.isatty() is false.",
    ),
    Case(
        "stty",
        ending(
            raised("builtins.ValueError", "not enough values to unpack (expected 2, got 0)"),
            errors="stty: 'standard input': Inappropriate ioctl for device\nTraceback ...\n",
        ),
        "train.py needs a terminal at train.py:3, and Stepscope runs it without one (stty: "
        "'standard input': Inappropriate ioctl for device): use shutil.get_terminal_size(), which "
        "does without, or skip that part where sys.stdin.isatty() is false.",
    ),
    Case(
        "a magic",
        syntax_error("%matplotlib inline"),
        "train.py holds a line for notebooks at train.py:3 (`%matplotlib inline`), which Python "
        "does not understand: take it out, or put it into a notebook.",
    ),
    Case(
        "a shell command",
        syntax_error("!pip install torch"),
        "train.py holds a line for notebooks at train.py:3 (`!pip install torch`), which Python "
        "does not understand: take it out, or put it into a notebook.",
    ),
    Case(
        "get_ipython",
        name_error("get_ipython"),
        "train.py uses get_ipython at train.py:3, which only notebooks have: take the line out, or "
        "run it only where IPython does.",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_each_class_has_its_sentence(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONPATH", raising=False)
    found = case.ending() if callable(case.ending) else case.ending
    answer = recognise(found)
    assert answer is not None
    assert answer.text == case.text
    assert answer.action == case.action


def test_every_recogniser_has_a_case() -> None:
    spoke = set()
    for case in CASES:
        found = case.ending() if callable(case.ending) else case.ending
        spoke.add(next(recogniser for recogniser in RECOGNISERS if recogniser(found)))
    assert spoke == set(RECOGNISERS)


@pytest.mark.parametrize(
    "other",
    [
        ending(*really(lambda: NOTHING["missing"])),
        ending(*really(lambda: 1 / 0)),
        ending(*really(lambda: [][1]), line="batch = data[1]"),
        ending(*really(lambda: int("x")), line='x = int(args["lr"])'),
        ending(raised(ASSERTION, "shapes differ"), line="assert a.shape == b.shape"),
        ending(raised("builtins.TypeError", "main() got an unexpected keyword argument 'x'"),
               line="main(x=1)"),
        ending(raised("builtins.AttributeError", "'Tensor' object has no attribute 'x'")),
        ending(raised("builtins.FileNotFoundError", "no file", "builtins.OSError")),
        ending(*really(lambda: compile("\n\nfor x in y\n", "train.py", "exec")), line="for x in y"),
        ending(code="2"),
        ending(code="1", errors="Traceback: usage\n", output="epoch 1\n"),
        ending(code="None"),
    ],
    ids=lambda other: (other.error.types[0] if other.error else f"exit {other.code}"),
)  # fmt: skip
def test_what_is_no_such_failure_is_left_to_the_usual_words(other: Ending) -> None:
    assert recognise(other) is None


def test_distributions_differ_from_their_modules() -> None:
    """An entry that only repeats the module's name (pip takes - and _ as one) says nothing."""
    same = [module for module, wanted in DISTRIBUTIONS.items() if module == wanted]
    assert same == []


def test_a_library_is_not_looked_for_in_the_project(tmp_path: Path) -> None:
    """A folder of the same name without Python files is no module."""
    (tmp_path / "data_xyz").mkdir()
    target = tmp_path / "scripts" / "train.py"
    request = ProfileRequest(target, cwd=tmp_path)
    found = ending(*really(lambda: __import__("data_xyz")), request=request, files=Files())
    answer = recognise(found)
    assert answer is not None
    assert answer.action == Action(ActionKind.INSTALL, ("data_xyz",))


# No step


def ended(**fields: object) -> dict[str, object]:
    counts = {"module": 0, "backward": 0, "optimizer": 0, "explicit": 0}
    return {"ticks": 0, "torch": True, "counts": counts, "defined": [], "children_s": 0, **fields}


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (ended(torch=False), "ended without importing torch, so there was nothing to profile."),
        (ended(ticks=1), "ended after 1 step; at least two are needed to measure one."),
        (
            ended(children_s=12.4),
            "ended without a step of its own: other processes that it started did the work (12 s "
            "of processor time). Profile the file that those run, or have it train in the process "
            "that you start.",
        ),
        (
            ended(defined=["Net"], found_no_gpu=True),
            "ended without a step: it asks how many GPUs there are, and this machine has none. "
            "Have it work with one process on the CPU then, or run it where a GPU is.",
        ),
        (
            ended(defined=["Head", "Net"]),
            "ended without a step: it defines Head, Net and calls no model. Profile the file that "
            'trains or runs it, or call it in a loop under `if __name__ == "__main__":`.',
        ),
        (
            ended(counts={"module": 1, "backward": 0, "optimizer": 0, "explicit": 0}),
            "ended without a step: it called a model once, and one call cannot be told from its "
            "warm-up. Call it several times in a loop.",
        ),
        (
            ended(),
            "ended without a step: no optimizer step, backward pass or repeated module call was "
            "seen. Choose the loop whose passes are the steps (the lens above it, or --loop "
            "LINE), or call stepscope.step() at the end of each.",
        ),
    ],
)
def test_no_step_is_a_normal_answer_with_what_was_seen(
    message: dict[str, object], words: str
) -> None:
    assert no_step(message, "train.py") == f"train.py {words}"


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("", ""),
        ("\n \n", ""),
        ("epoch 1\nNeeds 2 GPUs, found 0\n\n", "Needs 2 GPUs, found 0"),
        ("10 %\r100 %\r\n", "100 %"),
        ("\x1b[31mred\x1b[0m\n", "red"),
        ("x" * 500, "x" * 200 + " …"),
    ],
)
def test_the_last_words_are_quoted(output: str, words: str) -> None:
    assert last_words(output) == (f' Its last line of output: "{words}".' if words else "")


def test_a_message_is_one_sentence_or_two_and_names_the_file() -> None:
    for case in CASES:
        assert case.text.startswith("train.py "), case.name
        assert case.text.endswith("."), case.name
        assert not re.search(r"  |\n", case.text), case.name
