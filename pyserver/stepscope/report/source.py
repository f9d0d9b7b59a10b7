"""Lines of a source, counted the way Python and editors count them."""

from __future__ import annotations

import re

_LINE_BREAK = re.compile(r"\r\n|\r|\n")


def split_lines(text: str) -> list[str]:
    """The lines of ``text`` without their breaks.

    Not ``str.splitlines``: that also breaks at form feeds and other characters that neither the
    Python tokenizer nor an editor takes for the end of a line.
    """
    # Most texts have one kind of break, which is split much faster.
    return _LINE_BREAK.split(text) if "\r" in text else text.split("\n")
