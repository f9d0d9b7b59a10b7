"""Text from reports into Markdown that says exactly that text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-!|<>~&$])")


def escape(text: str) -> str:
    """``text`` as it reads, on one line: nothing in it formats, links or starts a table cell."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def code(text: str) -> str:
    """``text`` as inline code, safe inside a table cell."""
    flat = " ".join(text.split()).replace("|", "\\|")
    fence = "`" * (max((len(run) for run in re.findall("`+", flat)), default=0) + 1)
    pad = " " if "`" in flat else ""
    return f"{fence}{pad}{flat}{pad}{fence}" if flat else ""


def fenced(text: str, language: str) -> str:
    """``text`` as a block of code."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def table(header: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[bool]) -> str:
    """A table of cells that are Markdown already; ``numbers`` says which columns align right."""
    rule = ["---:" if right else "---" for right in numbers]
    return "\n".join("| " + " | ".join(row) + " |" for row in (header, rule, *rows))
