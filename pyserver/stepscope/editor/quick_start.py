"""A server that answers ``initialize`` at once: the cost of importing the protocol, halved."""

from __future__ import annotations

import functools
import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import attrs


@contextmanager
def quick_start() -> Iterator[None]:
    """Import and build the server inside this.

    Half of its start would go into methods that attrs compiles for each of the protocol's 550
    classes. A server neither compares nor prints them, so they get no ``__eq__`` and no
    ``__repr__``. And nothing that is made here is ever garbage: the collector only looks.
    """
    complete = attrs.define
    gc.disable()
    if "lsprotocol.types" not in sys.modules:
        attrs.define = functools.partial(complete, eq=False, repr=False)
    try:
        import lsprotocol.types  # noqa: F401 - once for the whole process

        attrs.define = complete
        yield
    finally:
        attrs.define = complete
        gc.freeze()
        gc.enable()
