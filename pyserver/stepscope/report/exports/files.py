"""Files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TextIO, cast


@contextlib.contextmanager
def written_whole(path: Path) -> Iterator[TextIO]:
    """A text stream (UTF-8, lone surrogates escaped, line ends as given) that becomes ``path``.

    Gzip where the name ends in ``.gz``. What was there before is replaced when everything is
    written, and is untouched if that fails. A pipe or a device is written to as it is. Raises
    OSError.
    """
    target = Path(os.path.realpath(path))
    whole = target.is_file() or not target.exists()
    partial = target.with_name(f"{target.name}.{os.getpid()}.partial") if whole else target
    try:
        with partial.open("wb") as raw, _text(raw, path) as out:
            yield out
        if whole:
            if target.exists():
                shutil.copymode(target, partial)
            partial.replace(target)
    except BaseException:
        if whole:
            partial.unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def _text(raw: IO[bytes], path: Path) -> Iterator[TextIO]:
    with contextlib.ExitStack() as stack:
        stream = raw
        if path.suffix == ".gz":
            # Neither the time nor the partial name goes into the file.
            packed = gzip.GzipFile("", "wb", 6, raw, mtime=0)
            stream = cast("IO[bytes]", stack.enter_context(packed))
        out = io.TextIOWrapper(stream, "utf-8", "backslashreplace", newline="")
        yield out
        out.flush()
        out.detach()
