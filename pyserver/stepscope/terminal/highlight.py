"""Python source into coloured lines that contain nothing but visible characters."""

from __future__ import annotations

from pygments.lexers.python import PythonLexer
from rich.syntax import ANSISyntaxTheme, Syntax
from rich.text import Text

from stepscope.report.source import split_lines

TAB_SIZE = 4


def highlight(source: str) -> list[Text]:
    """One text per line of ``source``."""
    lines = [_visible(line) for line in split_lines(source.removeprefix("\ufeff"))]
    theme = Syntax.get_theme("ansi_dark")
    assert isinstance(theme, ANSISyntaxTheme)
    coloured = [Text()]
    lexer = PythonLexer(stripnl=False, ensurenl=False)
    for token, value in lexer.get_tokens("\n".join(lines)):
        style = theme.get_style_for_token(token)
        first, *rest = value.split("\n")
        coloured[-1].append(first, style)
        coloured.extend(Text(part, style) for part in rest)
    return coloured


def _visible(line: str) -> str:
    """Tabs as spaces and control characters as pictures: a source must not drive the terminal."""
    expanded = line.expandtabs(TAB_SIZE)
    return "".join(_picture(character) for character in expanded)


def _picture(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if 0x7F <= code < 0xA0 else character
