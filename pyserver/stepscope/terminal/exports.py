"""Where a report goes beside the terminal: the options of every command that makes one."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from stepscope.session.model import Failure, FailureKind

if TYPE_CHECKING:
    from stepscope.report.exports.analysed import Analysed

TO_STDOUT = "-"

OPTIONS = {
    "--json": ("OUT", "write the report there; - for standard output"),
    "--html": ("OUT.html", "write the report as one page with its pictures, for any browser"),
    "--trace": ("OUT.json.gz", "write the recorded step as a Chrome trace, with its lines"),
    "--speedscope": ("OUT.json", "write the costs by line as a speedscope file"),
    "--csv": ("OUT.csv", "write the lines as a table, and their operators beside it"),
}
"""Each takes a value. ``-`` is standard output for any one of them."""


@dataclass(frozen=True, slots=True)
class Exports:
    """What the command line asked for: paths, ``-``, or None."""

    json: str | None = None
    html: str | None = None
    trace: str | None = None
    speedscope: str | None = None
    csv: str | None = None

    @property
    def asked(self) -> dict[str, str]:
        """Option -> where to."""
        values = {
            "--json": self.json,
            "--html": self.html,
            "--trace": self.trace,
            "--speedscope": self.speedscope,
            "--csv": self.csv,
        }
        return {option: value for option, value in values.items() if value is not None}

    @property
    def needs_events(self) -> bool:
        """Whether any of them is made from more than the report."""
        return any(out is not None for out in (self.html, self.trace, self.csv))


def add_exports(parser: argparse.ArgumentParser) -> None:
    """Add the options to a command that makes a report."""
    for option, (name, meaning) in OPTIONS.items():
        parser.add_argument(option, metavar=name, help=meaning)


def exports_of(options: argparse.Namespace) -> Exports:
    """What was asked for."""
    return Exports(options.json, options.html, options.trace, options.speedscope, options.csv)


def check_exports(exports: Exports) -> None:
    """Find out before the work, not after it, that something cannot be written.

    Raises ``Failure`` (usage).
    """
    if exports.html is not None:
        _check_page(exports.html)
    taken: dict[Path | str, str] = {}
    for option, out in exports.asked.items():
        for path in _paths(option, out):
            if path != TO_STDOUT:
                where = Path(path)
                if where.is_dir() or not where.absolute().parent.is_dir():
                    raise Failure(
                        FailureKind.USAGE, f"{option} {out}: no file can be written there."
                    )
            key = path if path == TO_STDOUT else Path(path).absolute()
            if taken.setdefault(key, option) != option:
                raise Failure(
                    FailureKind.USAGE,
                    f"{taken[key]} and {option} both go to {_words(out)}; give each its own file.",
                )


def _check_page(out: str) -> None:
    from stepscope.report.exports.html import PageMissing, check_page

    try:
        check_page()
    except PageMissing as error:
        raise Failure(FailureKind.USAGE, f"--html {out}: {error}.") from None


def write_exports(exports: Exports, analysed: Analysed) -> bool:
    """Write everything; True where standard output is taken. Raises ``Failure`` (usage)."""
    from stepscope.report.exports.chrome_trace import NoEvents

    for option, out in exports.asked.items():
        for path, write in zip(_paths(option, out), _writers(option), strict=False):
            try:
                with _opened(path) as stream:
                    write(analysed, stream)
            except NoEvents as error:
                raise Failure(FailureKind.USAGE, f"{option} {out}: {error}.") from None
            except OSError as error:
                if path == TO_STDOUT:
                    raise
                what = "the report" if option == "--json" else option
                message = f"{what} could not be written to {path}: {error.strerror}."
                raise Failure(FailureKind.USAGE, message) from error
    return TO_STDOUT in exports.asked.values()


def _paths(option: str, out: str) -> list[str]:
    """The table of operators goes beside that of lines; standard output has room for one."""
    if option != "--csv" or out == TO_STDOUT:
        return [out]
    path = Path(out)
    return [out, str(path.with_name(f"{path.stem}.operators{path.suffix}"))] if path.name else [out]


def _writers(option: str) -> list[Callable[[Analysed, TextIO], None]]:
    if option == "--json":
        from stepscope.report.to_json import report_to_text

        return [lambda analysed, out: _discard(out.write(report_to_text(analysed.report)))]
    if option == "--html":
        from stepscope.report.exports.html import write_html

        return [write_html]
    if option == "--trace":
        from stepscope.report.exports.chrome_trace import write_chrome_trace

        return [write_chrome_trace]
    if option == "--speedscope":
        from stepscope.report.exports.speedscope import write_speedscope

        return [lambda analysed, out: write_speedscope(analysed.report, out)]
    from stepscope.report.exports.tables import write_lines, write_operators

    return [lambda analysed, out: write_lines(analysed.report, out), write_operators]


def _discard(_: int) -> None:
    """``write`` counts what it wrote."""


@contextmanager
def _opened(path: str) -> Iterator[TextIO]:
    if path != TO_STDOUT:
        from stepscope.report.exports.files import written_whole

        with written_whole(Path(path)) as out:
            yield out
        return
    stream = TextIOWrapper(sys.stdout.buffer, "utf-8", "backslashreplace", newline="")
    try:
        yield stream
        stream.flush()
    finally:
        stream.detach()


def _words(out: str) -> str:
    return "standard output" if out == TO_STDOUT else out
