"""Recording behind somebody else's launcher: no session, the outcome goes to standard error.

Each process that the launcher (torchrun, srun, mpirun) starts records itself into the same folder.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shlex
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .channel import Channel
from .guard.disk import wipe
from .main import main
from .own_code import own_folders
from .plan import TOGETHER_WARMUP, plan_together
from .ranks import Rank, place_in, run_id_in

_WITH_VALUE = frozenset(("--out", "--steps", "--warmup", "--total-steps", "--loop", "--run-id"))
_ALONE = {"rank": 0, "world_size": 1, "local_rank": 0, "local_size": 1}


def run(arguments: list[str]) -> None:
    """Run the command line; ends the process with the target's status, 2 for a wrong command line.

    1 when the recording failed, 3 when the target ended before there was one.
    """
    own, target, of_target = split_at_target(arguments)
    parser = _parser()
    options = parser.parse_args(own)
    if target is None:
        parser.error("name the script to record after the options")
    path = Path(target)
    if not path.is_file():
        parser.error(f"there is no file {path.absolute()}")
    try:
        place: dict[str, Any] = {**(place_in(os.environ) or _ALONE)}
    except ValueError as error:
        parser.error(str(error))
    folder = Path(options.out).absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        parser.error(f"--out {options.out}: {error.strerror}")
    place.update(folder=str(folder), run_id=options.run_id or run_id_in(os.environ))
    config = _config(options, path, Rank(place).capture, place)
    # Kineto reports each start and stop on standard error, which is the target's.
    os.environ.setdefault("KINETO_LOG_LEVEL", "6")
    console = Console(path.name, Rank(place), config["wishes"], str(folder))
    private = Private(place["local_rank"], place["run_id"]) if options.guard else None
    if private is not None:
        config["guard"] = _guard(private.path, config["roots"], str(folder))
    try:
        main(config, of_target, console)
    finally:
        with contextlib.suppress(OSError):
            wipe(f"{config['capture']}.processes")
        if private is not None:
            private.leave()
    sys.exit(console.status)


def _config(
    options: argparse.Namespace, path: Path, capture: str, place: dict[str, Any]
) -> dict[str, Any]:
    target = path.absolute()
    wishes = {
        "steps": options.steps,
        "warmup": options.warmup,
        "loop": options.loop,
        "model": None,
        "root": str(target.parent),
        "together": place["local_size"],
    }
    if options.total_steps is not None:
        wishes["limit"] = options.total_steps
    return {
        "target": str(target),
        "argv0": str(path),
        "capture": capture,
        "roots": [str(root) for root in own_folders(target, Path.cwd(), [])],
        "wishes": wishes,
        "cpu": False,
        "notes": [],
        "guard": None,
        "rank": place,
        "control": None,
        "lifeline": None,
    }


def _guard(private: str, roots: Sequence[str], folder: str) -> dict[str, Any]:
    """What exists stays as it is, without layers: nobody would give new files to the person."""
    guarded = dict.fromkeys(os.path.realpath(path) for path in (os.getcwd(), *roots))
    free = [os.path.realpath(path) for path in (folder, private)]
    return {"private": private, "roots": list(guarded), "layers": [], "free": free}


class Console(Channel):
    """Says on standard error what a session would be told, as far as a person needs it."""

    def __init__(self, name: str, rank: Rank, wishes: dict[str, Any], folder: str) -> None:
        super().__init__(None)
        self.status = 0
        self._name = name
        self._rank = rank
        self._wishes = wishes
        self._folder = folder
        self._is_child = False

    def become_child(self) -> None:
        """A process that the target forked has nothing to say for its rank."""
        super().become_child()
        self._is_child = True

    def send(self, kind: str, **fields: Any) -> None:
        """Say it, where it is how the recording ended."""
        if self._is_child:
            return
        said = getattr(self, "_" + kind.replace("-", "_"), None)
        if said is not None:
            said(fields)

    def _captured(self, _fields: dict[str, Any]) -> None:
        if self._rank.number == 0:  # one line, not one for each of a thousand ranks
            self._say(f"recorded; open it with: stepscope open {shlex.quote(self._folder)}")

    def _raised(self, fields: dict[str, Any]) -> None:
        error = fields["chain"][0]
        site, ticks = fields["site"], fields["ticks"]
        where = f" at {os.path.basename(site[0])}:{site[1]}" if site else ""
        when = f"after {ticks} step{'s' if ticks > 1 else ''}" if ticks else "before its first step"
        lines = error["message"].strip().splitlines()
        detail = f": {lines[0].strip()[:300]}" if lines else ""
        kind = error["types"][0].rpartition(".")[2]
        self._fail(f"{self._name} raised {kind}{where} {when}{detail}", 1)

    def _ended(self, fields: dict[str, Any]) -> None:
        ticks = fields["ticks"]
        if fields["code"] not in (None, "None", "0"):
            site = fields["site"]
            where = f" at {os.path.basename(site[0])}:{site[1]}" if site else ""
            self._fail(f"{self._name} called exit({fields['code']}){where}.", 1)
            return
        if not ticks:
            told = "no step was seen in it; choose its loop with --loop LINE"
        else:
            told = (
                f"the recording takes {self._needed()}: say --total-steps {ticks} if it makes no "
                "more, or ask for less with --steps and --warmup"
            )
        steps = f"after {ticks} step{'s' if ticks > 1 else ''}" if ticks else "by itself"
        self._fail(f"{self._name} ended {steps}; {told}.", 3)

    def _needed(self) -> int:
        warmup = self._wishes["warmup"]
        warmup = TOGETHER_WARMUP if warmup is None else warmup
        return 1 + warmup + plan_together(self._wishes["steps"]).total()

    def _old_torch(self, fields: dict[str, Any]) -> None:
        self._fail(f"recording needs torch 2.4 or newer, and this is {fields['version']}.", 1)

    def _too_big(self, _fields: dict[str, Any]) -> None:
        self._fail(
            "one step makes more operators than memory holds; choose an inner loop with --loop "
            "LINE, or call stepscope.step() more often.",
            1,
        )

    def _fault(self, fields: dict[str, Any]) -> None:
        self._fail(f"Stepscope itself failed; please report this.\n{fields['text']}", 1)

    def _fail(self, text: str, status: int) -> None:
        self.status = self.status or status
        self._say(text)

    def _say(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write(f"stepscope: {self._rank.words}: {text}\n")
            sys.stderr.flush()


class Private:
    """The guard's folder of the ranks on this machine: the last one to end takes it away.

    Ranks that one launcher started have one parent, so its number keeps runs apart.
    """

    _NAME = "stepscope-ranks"

    def __init__(self, local_rank: int, run_id: str) -> None:
        above = tempfile.gettempdir()
        user = os.getuid() if hasattr(os, "getuid") else 0
        name = f"{self._NAME}-{user}"
        self._forget_dead(above, name)
        self._folder = os.path.join(above, f"{name}-{run_id}-{os.getppid()}")
        self._users = os.path.join(self._folder, "users")
        os.makedirs(self._users, mode=0o700, exist_ok=True)
        self._own = os.path.join(self._users, str(local_rank))
        with open(self._own, "w", encoding="utf-8"):
            pass
        self.path = os.path.join(self._folder, "guard")
        os.makedirs(self.path, exist_ok=True)

    def leave(self) -> None:
        """This rank is done with it."""
        with contextlib.suppress(OSError):
            os.unlink(self._own)
            os.rmdir(self._users)
            wipe(self._folder)

    def _forget_dead(self, above: str, name: str) -> None:
        """Take away what ranks that were killed have left."""
        with contextlib.suppress(OSError), os.scandir(above) as entries:
            for entry in entries:
                parent = entry.name.rpartition("-")[2]
                if not entry.name.startswith(f"{name}-") or not parent.isdecimal():
                    continue
                try:
                    os.kill(int(parent), 0)
                except ProcessLookupError:
                    with contextlib.suppress(OSError):
                        wipe(entry.path)
                except OSError:
                    pass  # it lives, and is somebody else's


def split_at_target(arguments: Sequence[str]) -> tuple[list[str], str | None, list[str]]:
    """Our own options, the target, and its arguments, untouched."""
    index = 0
    while index < len(arguments):
        word = arguments[index]
        if word == "--" or not word.startswith("-"):
            break
        index += 2 if word in _WITH_VALUE else 1
    own, rest = list(arguments[:index]), list(arguments[index:])
    if rest[:1] == ["--"]:
        rest = rest[1:]
    return own, rest[0] if rest else None, rest[1:]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m stepscope.agent",
        usage="%(prog)s --out FOLDER [options] TARGET.py [ARGS...]",
        description="Record some steps of a PyTorch script, as one of the ranks of a launcher.",
        allow_abbrev=False,
    )
    parser.add_argument("--out", required=True, metavar="FOLDER", help="where all ranks record")
    for name, least, meaning in (
        ("--steps", 1, "steps to time"),
        ("--warmup", 0, "steps to run before that (5)"),
        ("--total-steps", 2, "steps that the script makes in all, if they are few"),
        ("--loop", 1, "line of the loop whose passes are the steps"),
    ):
        parser.add_argument(name, type=_whole(least), metavar="N", help=meaning)
    parser.add_argument(
        "--run-id", metavar="ID", help="what the ranks of this run share (from the launcher)"
    )
    parser.add_argument(
        "--no-guard",
        dest="guard",
        action="store_false",
        help="let the target overwrite and delete files, and talk to its trackers",
    )
    return parser


def _whole(least: int) -> Any:
    def read(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {least}")
        return int(text)

    return read
