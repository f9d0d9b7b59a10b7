"""Events by msgspec: the fields of ``events.Event`` and ``Arguments``. Needs msgspec."""

from __future__ import annotations

import math

import msgspec
from msgspec import Raw, Struct, field


class Arguments(Struct, gc=False):
    """See ``events.Arguments``."""

    external: int | None = field(name="External id", default=None)
    external_before: int | None = field(name="external id", default=None)
    correlation: int | None = None
    sequence: int | None = field(name="Sequence number", default=None)
    forward_thread: int | None = field(name="Fwd thread id", default=None)
    shapes: Raw = field(name="Input Dims", default=Raw(b""))
    dtypes: Raw = field(name="Input type", default=Raw(b""))
    values: Raw = field(name="Concrete Inputs", default=Raw(b""))
    stack: str | None = field(name="Call stack", default=None)
    device: int | None = None
    stream: int | str | None = None
    size: int | None = field(name="Bytes", default=None)
    address: int | None = field(name="Addr", default=None)
    total: int | None = field(name="Total Allocated", default=None)
    reserved: int | None = field(name="Total Reserved", default=None)
    device_type: int | None = field(name="Device Type", default=None)
    device_id: int | None = field(name="Device Id", default=None)


class Event(Struct, gc=False):
    """See ``events.Event``."""

    ph: str = ""
    cat: str = ""
    name: str = ""
    pid: int | str | None = None
    tid: int | str | None = None
    ts: float = math.nan
    dur: float = 0.0
    args: Arguments | None = None


_DECODER = msgspec.json.Decoder(list[Event])


def decode(text: bytes) -> list[Event] | None:
    """The events of a JSON list; None where one of them is not as it should be."""
    try:
        return _DECODER.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
