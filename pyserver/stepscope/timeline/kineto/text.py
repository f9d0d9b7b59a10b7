"""The text of a trace file, plain or gzip, piece by piece, within bounds."""

from __future__ import annotations

import os
import stat
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

LARGEST_TRACE = 64 << 30
"""Bytes of text. What is beyond is not read: nobody profiles that much, but gzip can claim it."""
_LARGEST_RATIO = 400
_RATIO_FROM = 1 << 28
_CHUNK = 1 << 20
_GZIP = b"\x1f\x8b"


class TraceError(ValueError):
    """The file is no trace that can be read; the sentence says why and ends with a full stop."""


def read_text(path: Path) -> Iterator[bytes]:
    """The file's text in pieces of about a megabyte. A gzip file that is cut ends early.

    Raises ``TraceError`` for what is no file, cannot be read, or is a gzip bomb: text over
    compressed text is about 30 in traces, and 1000 at most.
    """
    try:
        # A named pipe would be waited for.
        if not stat.S_ISREG(os.stat(path).st_mode):  # noqa: PTH116
            raise TraceError(f"{path} is not a file.")
        with path.open("rb") as file:
            start = file.read(2)
            file.seek(0)
            pieces = _unpacked(file) if start == _GZIP else iter(lambda: file.read(_CHUNK), b"")
            size = 0
            for piece in pieces:
                size += len(piece)
                if size > LARGEST_TRACE or (
                    size > _RATIO_FROM and size > _LARGEST_RATIO * max(1, file.tell())
                ):
                    raise TraceError(
                        f"{path} unpacks to far more than a trace does, so it is none."
                    )
                yield piece
    except OSError as error:
        raise TraceError(f"{path} cannot be read: {error.strerror or error}.") from None


def _unpacked(file: BinaryIO) -> Iterator[bytes]:
    unpacker = zlib.decompressobj(wbits=31)
    waiting = b""
    while True:
        if unpacker.eof:
            # Several compressed files one after the other are one text.
            waiting = unpacker.unused_data or file.read(_CHUNK)
            unpacker = zlib.decompressobj(wbits=31)
        elif unpacker.unconsumed_tail:
            waiting = unpacker.unconsumed_tail
        else:
            waiting = file.read(_CHUNK // 8)
        if not waiting:
            return
        try:
            piece = unpacker.decompress(waiting, 4 * _CHUNK)
        except zlib.error:
            return  # damaged or followed by something else: what came before is the text
        if piece:
            yield piece
