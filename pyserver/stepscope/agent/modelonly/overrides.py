"""What a person wrote down about a model: a comment in the file, a setting, the command line.

In a file it reads ``# stepscope: model=Net(3, classes=10)`` and
``# stepscope: inputs=torch.randn(8, 3, 224, 224), mask=None``, best above the class.
"""

from __future__ import annotations

import ast
import io
import os
import re
import tokenize
from dataclasses import dataclass
from typing import Any

from .classes import ModelClass
from .inputs import Inputs

_COMMENT = re.compile(r"#\s*stepscope:\s*(model|inputs)\s*=\s*(.+?)\s*$")


@dataclass(frozen=True)
class Written:
    """An expression and where it stands, in words; ``line`` (1-based) if it is in the file."""

    text: str
    place: str
    line: int | None = None


@dataclass(frozen=True)
class Override:
    """What is decided already."""

    model: Written | None = None
    inputs: Written | None = None


@dataclass(frozen=True)
class Comment:
    """One ``# stepscope:`` comment. ``key`` is "model" or "inputs"."""

    line: int
    key: str
    text: str


def comments(source: str) -> list[Comment]:
    """Every such comment of the file. A text that Python cannot read has none."""
    found = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            match = _COMMENT.match(token.string) if token.type == tokenize.COMMENT else None
            if match:
                found.append(Comment(token.start[0], match[1], match[2]))
    except (tokenize.TokenError, SyntaxError):
        return []
    return found


def class_of(comment: Comment, classes: list[ModelClass]) -> str | None:
    """The class that a comment is about: the one it names, stands in, or stands above."""
    if comment.key == "model":
        named = comment.text.partition("(")[0].strip()
        if any(entry.name == named for entry in classes):
            return named
    for entry in classes:
        if entry.line <= comment.line <= (entry.node.end_lineno or entry.line):
            return entry.name
    below = [entry for entry in classes if entry.line > comment.line]
    return below[0].name if below else None


def override_for(
    name: str, classes: list[ModelClass], written: list[Comment], wishes: dict[str, Any], path: str
) -> Override:
    """The command line before a comment in the file before a setting."""
    file = os.path.basename(path)
    own = [entry for entry in written if class_of(entry, classes) == name]
    setting = (wishes.get("settings") or {}).get(name) or {}
    found: dict[str, Written | None] = {"model": None, "inputs": None}
    for key in found:
        given = wishes.get(key)
        comment = next((entry for entry in own if entry.key == key), None)
        if given:
            found[key] = Written(given, f"--{key}")
        elif comment is not None:
            place = f"the comment on line {comment.line} of {file}"
            found[key] = Written(comment.text, place, comment.line)
        elif setting.get(key):
            found[key] = Written(setting[key], "the setting stepscope.modelInputs")
    return Override(**found)


def parse_inputs(written: Written) -> Inputs:
    """Arguments as they stand between the parentheses of a call. Raises ``SyntaxError``."""
    call = ast.parse(f"_({written.text})", mode="eval").body
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
        raise SyntaxError("not the arguments of a call")
    if any(word.arg is None for word in call.keywords):
        raise SyntaxError("** is not possible here")
    return Inputs(
        tuple(ast.unparse(argument) for argument in call.args),
        tuple((str(word.arg), ast.unparse(word.value)) for word in call.keywords),
        written.place,
    )
