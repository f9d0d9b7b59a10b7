"""Pickles of plain data: dicts, lists, tuples, strings, numbers, None. Nothing else, nothing run.

A pickle is a program for a stack machine. This machine has only the instructions that build plain
values; those that look up a name, call something, or set an object's state do not exist in it, so
there is nothing that a file could make it execute. What it may use is bounded: the file is read
once, each value costs an estimate of its bytes, and the sum has a limit. Python's own
``Unpickler`` with a ``find_class`` that refuses would execute nothing either, but a file of a few
bytes makes it allocate gigabytes (the memo's index is an array index there).
"""

from __future__ import annotations

import gc
from struct import Struct, error
from typing import Any

MEMORY_LIMIT = 4 << 30
"""Bytes that the values of one file may take, as estimated."""

_MAX_NUMBER_KEYS = 4096
_MAX_DIGITS = 64  # bytes of a number; an address has 8

# Estimates in bytes, of CPython 3.11 on 64 bits; what matters is their order.
_CONTAINER, _ITEM, _PAIR, _TEXT, _NUMBER, _NOTE = 64, 8, 60, 60, 40, 100

_UINT8, _UINT32, _UINT64 = Struct("<B"), Struct("<I"), Struct("<Q")
_NUMBERS = {
    0x4B: (_UINT8, 1),  # BININT1
    0x4D: (Struct("<H"), 2),  # BININT2
    0x4A: (Struct("<i"), 4),  # BININT
    0x47: (Struct(">d"), 8),  # BINFLOAT
}
_TEXTS = {
    0x8C: (_UINT8, 1),  # SHORT_BINUNICODE
    0x58: (_UINT32, 4),  # BINUNICODE
    0x8D: (_UINT64, 8),  # BINUNICODE8
}
_CONSTANTS: dict[int, Any] = {
    0x29: (),  # EMPTY_TUPLE
    0x4E: None,  # NONE
    0x88: True,  # NEWTRUE
    0x89: False,  # NEWFALSE
}

_RUNS_CODE = {
    ord("c"): "GLOBAL", 0x93: "STACK_GLOBAL", ord("R"): "REDUCE", ord("b"): "BUILD",
    ord("i"): "INST", ord("o"): "OBJ", 0x81: "NEWOBJ", 0x92: "NEWOBJ_EX", 0x82: "EXT1",
    0x83: "EXT2", 0x84: "EXT4", ord("P"): "PERSID", ord("Q"): "BINPERSID",
}  # fmt: skip
"""Instructions that would look something up or call it."""


class PickleRefused(ValueError):
    """The file is no pickle of plain data, or it is damaged; the message says where and why."""


def is_pickle(head: bytes) -> bool:
    """Whether a file that begins so may be a pickle: protocol 2 or newer, as torch writes it."""
    return len(head) >= 2 and head[0] == 0x80 and 2 <= head[1] <= 5


def load_plain(data: bytes, limit: int = MEMORY_LIMIT) -> Any:
    """The value that ``data`` describes. Raises ``PickleRefused`` for anything but plain data."""
    if not is_pickle(data):
        raise PickleRefused("it is no pickle of protocol 2 to 5")
    collecting = gc.isenabled()
    gc.disable()  # nothing becomes garbage here, and looking for it takes longer than reading
    try:
        return _run(data, limit)
    except (_Cut, error):
        raise PickleRefused(f"it is cut off after {len(data):,} bytes") from None
    except IndexError:
        # An instruction that misses its operands, or a memo that was never made.
        raise PickleRefused("it is damaged: its instructions do not fit together") from None
    finally:
        if collecting:
            gc.enable()


class _Cut(Exception):
    """The data ends in the middle."""


def _run(data: bytes, limit: int) -> Any:
    """The machine. Frequent instructions come first.

    ``stack`` holds the values since the last mark, ``below`` the stacks under it.
    """
    size = len(data)
    memo: list[Any] = []
    stack: list[Any] = []
    below: list[list[Any]] = []
    push, unpack = stack.append, _UINT32.unpack_from
    spent = 0
    at = 0
    while at < size:
        code = data[at]
        at += 1
        if code == 0x68:  # BINGET; a place on the stack for two bytes of the file costs nothing
            push(memo[data[at]])
            at += 1
            continue
        if code == 0x6A:  # LONG_BINGET
            push(memo[unpack(data, at)[0]])
            at += 4
            continue
        if spent > limit:
            raise PickleRefused(
                f"reading it would take more than {limit / 1e9:.1f} GB (at byte {at:,})"
            )
        if code == 0x94:  # MEMOIZE
            memo.append(stack[-1])
            spent += _NOTE
        elif code == 0x8A:  # LONG1
            length = data[at]
            at += 1
            if length > _MAX_DIGITS:
                raise PickleRefused(f"at byte {at:,} it holds a number of {length} bytes")
            if at + length > size:
                raise _Cut
            push(int.from_bytes(data[at : at + length], "little", signed=True))
            at += length
            spent += _NUMBER
        elif code in _NUMBERS:
            layout, width = _NUMBERS[code]
            push(layout.unpack_from(data, at)[0])
            at += width
            spent += _NUMBER
        elif code in _CONSTANTS:
            push(_CONSTANTS[code])
            spent += _ITEM
        elif code == 0x7D:  # EMPTY_DICT
            push({})
            spent += _CONTAINER
        elif code == 0x5D:  # EMPTY_LIST
            push([])
            spent += _CONTAINER
        elif code == 0x28:  # MARK
            below.append(stack)
            stack = []
            push = stack.append
            spent += _CONTAINER
        elif code == 0x75:  # SETITEMS
            items, stack = stack, below.pop()
            push = stack.append
            _fill(stack[-1], items, at)
            spent += _PAIR * len(items)
        elif code == 0x65:  # APPENDS
            items, stack = stack, below.pop()
            push = stack.append
            _extend(stack[-1], items)
            spent += _ITEM * len(items)
        elif code in _TEXTS:
            layout, width = _TEXTS[code]
            (length,) = layout.unpack_from(data, at)
            at += width
            push(_text(_piece(data, at, length)))
            at += length
            spent += _TEXT + length
        elif code in (0x71, 0x72):  # BINPUT, LONG_BINPUT
            layout, width = (_UINT8, 1) if code == 0x71 else (_UINT32, 4)
            if layout.unpack_from(data, at)[0] != len(memo):
                raise IndexError  # picklers count
            memo.append(stack[-1])
            at += width
            spent += _NOTE
        elif code == 0x73:  # SETITEM
            items = stack[-2:]
            del stack[-2:]
            _fill(stack[-1], items, at)
            spent += _PAIR
        elif code == 0x61:  # APPEND
            items = [stack.pop()]
            _extend(stack[-1], items)
            spent += _ITEM
        elif code in (0x85, 0x86, 0x87):  # TUPLE1, TUPLE2, TUPLE3
            count = code - 0x84
            if len(stack) < count:
                raise IndexError
            made = tuple(stack[-count:])
            del stack[-count:]
            push(made)
            spent += _CONTAINER
        elif code == 0x74:  # TUPLE
            items, stack = stack, below.pop()
            push = stack.append
            push(tuple(items))
            spent += _CONTAINER + _ITEM * len(items)
        elif code == 0x95:  # FRAME: how much comes in one piece, which here is all of it
            at += 8
        elif code == 0x80:  # PROTO
            at += 1
        elif code == 0x2E:  # STOP
            if len(stack) != 1 or below:
                raise IndexError
            return stack[0]
        else:
            raise _refused(code, at)
    raise _Cut


def _piece(data: bytes, at: int, length: int) -> bytes:
    if at + length > len(data):
        raise _Cut
    return data[at : at + length]


def _fill(target: Any, items: list[Any], at: int) -> None:
    if type(target) is not dict or len(items) % 2:
        raise IndexError
    keys = items[::2]
    for key in keys:
        # A tuple's hash may take forever, and many numbers may be chosen to collide.
        if type(key) is not str and (
            type(key) is not int or len(target) + len(keys) > _MAX_NUMBER_KEYS
        ):
            raise PickleRefused(f"before byte {at:,} a dict has a key that is no text")
    target.update(zip(keys, items[1::2], strict=True))


def _extend(target: Any, items: list[Any]) -> None:
    if type(target) is not list:
        raise IndexError
    target.extend(items)


def _refused(code: int, at: int) -> PickleRefused:
    name = _RUNS_CODE.get(code)
    if name is not None:
        return PickleRefused(
            f"at byte {at:,} it asks to run code ({name}), which a memory snapshot never does; "
            "nothing was run"
        )
    return PickleRefused(
        f"at byte {at:,} it holds something other than dicts, lists, text and numbers "
        f"(instruction {code:#04x})"
    )


def _text(raw: bytes) -> str:
    """Pickled text. File names come from the system and may be in any encoding."""
    try:
        return raw.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return raw.decode("utf-8", "backslashreplace")
