"""``# stepscope: ignore[rule, another]`` in a source: where a person wants no finding.

The comment stands on any line of the finding's statement; without brackets it means every rule.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

COMMENT = re.compile(r"#\s*stepscope:\s*ignore\b\s*(?:\[(?P<rules>[^\]\n]*)\])?")


@dataclass(frozen=True, slots=True)
class Ignored:
    """One comment. ``rules`` is None where it names none and so means all."""

    line: int
    rules: frozenset[str] | None

    def covers(self, rule: str) -> bool:
        """Whether findings of ``rule`` are not wanted here."""
        return self.rules is None or rule in self.rules


@lru_cache(maxsize=64)
def ignore_comments(text: str) -> tuple[Ignored, ...]:
    """Every such comment of a source, by line; of one that is being typed, those up to the fault.

    A text that only looks like one, in a string, counts for nothing.
    """
    if COMMENT.search(text) is None:  # nearly always, and this is asked at every keystroke
        return ()
    found = []
    for line, comment in comments(text):
        match = COMMENT.search(comment)
        if match is not None:
            names = match["rules"]
            rules = None if names is None else frozenset(_names(names))
            found.append(Ignored(line, rules))
    return tuple(found)


def is_ignored(text: str, rule: str, first: int, last: int) -> bool:
    """Whether a comment on the lines from ``first`` to ``last`` turns ``rule`` off there."""
    return any(
        first <= comment.line <= last and comment.covers(rule) for comment in ignore_comments(text)
    )


def unknown_rules(text: str, known: Iterable[str]) -> list[tuple[int, str]]:
    """(line, name) of every rule in such a comment that does not exist."""
    names = frozenset(known)
    return [
        (comment.line, rule)
        for comment in ignore_comments(text)
        for rule in sorted((comment.rules or frozenset()) - names)
    ]


def comments(text: str) -> Iterator[tuple[int, str]]:
    """(1-based line, text) of the comments of a source; ends where it cannot be read."""
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string
    except (tokenize.TokenError, SyntaxError):
        return


def _names(listed: str) -> Iterator[str]:
    for name in listed.split(","):
        if name.strip():
            yield name.strip()
