"""Starting the target as several ranks, by torchrun itself, with an agent in each of them.

``launch`` turns this process into torchrun. What the session gave it (pipes for each rank, one for
all messages) reaches the ranks as inherited file descriptors, which ``seated`` picks up there.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import runpy
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from . import guard
from .channel import Channel, watch_lifeline
from .errors import describe
from .ranks import Rank, place_in

_LAUNCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "launch.py")
_THREADS = "OMP_NUM_THREADS"


def launch(config: dict[str, Any], arguments: Sequence[str]) -> None:
    """Be torchrun, to the exit with its status.

    ``config["ranks"]`` holds ``seats`` (file descriptors by local rank), ``run_id`` and ``folder``;
    the rest is what each rank is told.
    """
    ranks, channel, notes = config["ranks"], Channel(config["control"]), config["notes"]
    try:
        kept = guard.install(config, notes.append)
    except Exception as error:
        channel.send("fault", text=f"{type(error).__name__}: {error}"[-2000:])
        return

    groups: list[int] = []

    def tidy() -> None:
        for group in groups:  # first: what they go on writing to could not be taken away
            with contextlib.suppress(OSError):
                os.killpg(group, signal.SIGKILL)
        if kept is not None:
            kept.tidy()
        shutil.rmtree(ranks["folder"], ignore_errors=True)
        with contextlib.suppress(OSError):
            os.rmdir(os.path.dirname(ranks["folder"]))

    watch_lifeline(config["lifeline"], _has_no_place, tidy)
    count = len(ranks["seats"])
    if count > 1 and not os.environ.get(_THREADS):
        notes.append(
            f"torchrun gave each rank one CPU thread, since {_THREADS} was not set "
            "(setting stepscope.env, or --env)."
        )
    below = (config.get("guard") or {}).get("below", {})
    given = [config["control"], *(fd for seat in ranks["seats"] for fd in seat.values())]
    _hand_down([*given, *(fd for fd in below.values() if fd >= 0)], channel, groups)
    seat = {name: value for name, value in config.items() if name not in ("ranks", "lifeline")}
    # The agent's own folder, where this process was started from, is nobody's to import from.
    sys.path[:] = [path for path in sys.path if path != os.path.dirname(_LAUNCH)]
    sys.argv = [
        "torchrun", "--standalone", "--local-addr", "localhost",
        "--nproc-per-node", str(count), "--log-dir", os.path.join(ranks["folder"], "torchrun"),
        _LAUNCH, json.dumps({**seat, "seat": ranks}), *arguments,
    ]  # fmt: skip
    try:
        runpy.run_module("torch.distributed.run", run_name="__main__", alter_sys=True)
    except Exception as error:
        died = getattr(error, "failures", None)  # torchrun's own report on its processes
        if died is None:
            channel.send("raised", process="main", site=None, ticks=0,
                         **describe(error, _is_nobodys))  # fmt: skip
        else:
            in_time = sorted(died.items(), key=lambda item: item[1].timestamp)
            channel.send("ranks-died", statuses=[[number, one.exitcode] for number, one in in_time])
        sys.exit(1)


def _has_no_place() -> None:
    """The session asks the ranks where they are, not torchrun."""


def _is_nobodys(_code: Any) -> bool:
    """No line of torchrun's is the user's own."""
    return False


def _hand_down(descriptors: Sequence[int], channel: Channel, groups: list[int]) -> None:
    """Give every process that torchrun starts what is the ranks', and tell of its group.

    torchrun makes each of them the leader of a session of its own, which the end of ours would not
    reach. They are added to ``groups``, too.
    """
    original = subprocess.Popen.__init__

    @functools.wraps(original)
    def begin(self: Any, *args: Any, **kwargs: Any) -> None:
        kwargs["pass_fds"] = {*kwargs.get("pass_fds", ()), *descriptors}
        original(self, *args, **kwargs)
        if kwargs.get("start_new_session"):
            groups.append(self.pid)
            channel.send("group", pid=self.pid)

    subprocess.Popen.__init__ = begin  # type: ignore[method-assign]


def seated(config: dict[str, Any]) -> dict[str, Any]:
    """In a rank: its own configuration, made from everybody's. Its output goes where it belongs."""
    seat = config.pop("seat")
    place = place_in(os.environ)
    assert place is not None, "torchrun tells each of its processes its rank"
    for number, descriptors in enumerate(seat["seats"]):
        if number == place["local_rank"]:
            os.dup2(descriptors["out"], 1)
            os.dup2(descriptors["err"], 2)
            config["lifeline"] = os.dup(descriptors["lifeline"])
        for descriptor in descriptors.values():
            os.close(descriptor)
    config["rank"] = {**place, "run_id": seat["run_id"], "folder": seat["folder"]}
    config["capture"] = Rank(config["rank"]).capture
    config["wishes"] = {**config["wishes"], "together": place["local_size"]}
    return config
