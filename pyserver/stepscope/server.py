"""The language server process: wires the features, owns the transport and the end of the process.

Imports neither torch nor rich, and the stages of a run only when one is started: ``initialize``
must be answered at once.
"""

from __future__ import annotations

import ipaddress
import logging
import os
import signal
import sys
from types import FrameType
from typing import TYPE_CHECKING, BinaryIO

from stepscope.editor.quick_start import quick_start

if TYPE_CHECKING:
    from stepscope.editor.language_server import StepscopeServer
    from stepscope.editor.runs import ProfileTarget

logger = logging.getLogger("stepscope")


def build_server(profile_target: ProfileTarget | None = None) -> StepscopeServer:
    """A server with every feature. ``profile_target`` replaces the pipeline in tests."""
    with quick_start():
        from stepscope.editor.features import FEATURES
        from stepscope.editor.language_server import StepscopeServer

        server = StepscopeServer(profile_target)
        for feature in FEATURES:
            feature.register(server)
    return server


def serve_stdio(server: StepscopeServer) -> int:
    """Serve on standard input and output until the client goes. Returns the exit status."""
    _log_to_stderr()
    stdin, stdout = _take_stdio()
    _stop_on_signals(server)
    try:
        server.start_io(stdin, stdout)
    finally:
        _leave_nothing_behind(server)
    return 0


def serve_tcp(server: StepscopeServer, host: str, port: int) -> int:
    """Serve one client on a loopback address. Raises ValueError for any other address.

    There is no authentication, and a client may run files: nobody else may reach the port.
    """
    if host != "localhost" and not _is_loopback(host):
        raise ValueError(f"{host} is not a loopback address; Stepscope serves this machine only.")
    _log_to_stderr()
    _stop_on_signals(server)
    try:
        server.start_tcp(host, port)
    finally:
        _leave_nothing_behind(server)
    return 0


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _take_stdio() -> tuple[BinaryIO, BinaryIO]:
    """Keep the protocol's streams to ourselves.

    A stray print of some library, or a child that inherits the descriptors, would break the
    protocol: descriptor 0 reads nothing and descriptor 1 writes to standard error from here on.
    """
    stdin = os.fdopen(os.dup(0), "rb")
    stdout = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return stdin, stdout


def _stop_on_signals(server: StepscopeServer) -> None:
    def stop(number: int, _: FrameType | None) -> None:
        # A thread may be blocked reading standard input, so the usual way out could take forever.
        _leave_nothing_behind(server)
        os._exit(128 + number)

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)


def _leave_nothing_behind(server: StepscopeServer) -> None:
    if not server.runs.stop_and_wait():
        logger.error("the profiled process did not stop in time")


def _log_to_stderr() -> None:
    logging.basicConfig(
        level=logging.WARNING, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s"
    )
