"""The ``stepscope`` command."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import stepscope
from stepscope.terminal.exports import OPTIONS as EXPORTS
from stepscope.terminal.exports import add_exports, exports_of

_DESCRIPTION = """\
Run a PyTorch script for a few steps and show what each of its source lines costs.
"""

_EXIT_STATUS = """\
exit status: 0 a report was made; 1 the target failed; 2 usage; 3 no step was found;
4 timed out; 130 cancelled
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line ``argv`` and return the exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    parser = _build_parser()
    own, of_target = _split_at_target(arguments)
    options = parser.parse_args(own)
    if options.command == "run":
        return _run(options, of_target)
    if options.command == "open":
        return _open(options)
    return _serve(parser, options)


def _run(options: argparse.Namespace, of_target: list[str]) -> int:
    from stepscope.session.model import Limits, ProfileRequest
    from stepscope.terminal.run_command import RunOptions, run_command

    request = ProfileRequest(
        target=Path(options.target),
        args=tuple(of_target),
        python=options.python,
        cwd=options.cwd,
        steps=options.steps,
        warmup=options.warmup,
        loop=options.loop,
        timeout_s=options.timeout,
        cpu=options.cpu,
        env=tuple(options.env),
        limits=Limits(options.ask_after, options.step_timeout, options.grace),
        symbol=options.symbol,
        model_expression=options.model,
        inputs_expression=options.inputs,
        guard=options.guard,
        processes=options.processes,
    )
    return run_command(
        RunOptions(
            request,
            exports=exports_of(options),
            quiet=options.quiet,
            rules=tuple(options.rule),
            remove_new_files=options.remove_new_files,
        )
    )


def _open(options: argparse.Namespace) -> int:
    from stepscope.terminal.open_command import OpenOptions, open_command

    return open_command(
        OpenOptions(
            paths=tuple(options.traces),
            exports=exports_of(options),
            sources=tuple(options.map),
            roots=tuple(options.source_root),
            rules=tuple(options.rule),
        )
    )


def _serve(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    from stepscope.server import build_server, serve_stdio, serve_tcp

    server = build_server()
    if options.tcp is None:
        return serve_stdio(server)
    host, port = options.tcp
    try:
        return serve_tcp(server, host, port)
    except (ValueError, OSError) as error:
        parser.error(str(error))


def _build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="stepscope", allow_abbrev=False)
    parser.add_argument("--version", action="version", version=stepscope.__version__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    run = commands.add_parser(
        "run",
        help="profile a script and print it with its costs",
        description=_DESCRIPTION,
        epilog=_EXIT_STATUS,
        allow_abbrev=False,
        usage="%(prog)s [options] TARGET.py [ARGS...]",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    run.add_argument("--steps", type=_whole_from(1), metavar="N", help="steps to time")
    run.add_argument("--warmup", type=_whole_from(0), metavar="N", help="steps to run before that")
    run.add_argument(
        "--loop", type=_whole_from(1), metavar="LINE", help="the loop whose passes are the steps"
    )
    run.add_argument("--symbol", metavar="CLASS", help="the model, where the file defines several")
    run.add_argument(
        "--model", metavar="EXPR", help="how to make it, for a file that only defines it: 'Net(3)'"
    )
    run.add_argument(
        "--inputs", metavar="EXPR", help="how to call it: 'torch.randn(8, 3, 64, 64), mask=None'"
    )
    run.add_argument(
        "--processes",
        type=_whole_from(1),
        metavar="N",
        help="run it as N ranks on this machine, started by torchrun",
    )
    run.add_argument("--python", metavar="EXE", help="interpreter to run the target with")
    run.add_argument("--cwd", type=Path, metavar="DIR", help="folder to run the target in")
    run.add_argument(
        "--timeout",
        type=_seconds,
        default=300.0,
        metavar="S",
        help="seconds the target may take to its first step (300)",
    )
    _add_limits(run)
    run.add_argument(
        "--env",
        type=_variable,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an environment variable of the target; may be given several times",
    )
    run.add_argument(
        "--cpu",
        action="store_true",
        help="run on the CPU what the target asks an accelerator for",
    )
    run.add_argument(
        "--no-guard",
        dest="guard",
        action="store_false",
        help="let the target overwrite and delete files, and talk to its trackers",
    )
    run.add_argument(
        "--remove-new-files",
        action="store_true",
        help="remove the files that the target made, after the run",
    )
    _add_rule(run)
    add_exports(run)
    run.add_argument(
        "--quiet", action="store_true", help="show neither progress nor the target's output"
    )
    run.add_argument("target", metavar="TARGET.py", help="script; what follows it is its own")
    _add_open(commands)
    serve = commands.add_parser(
        "serve", help="the language server, on standard input and output", allow_abbrev=False
    )
    serve.add_argument(
        "--tcp", type=_address, metavar="HOST:PORT", help="serve one client on a loopback address"
    )
    return parser


def _add_rule(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--rule",
        type=_rule_level,
        action="append",
        default=[],
        metavar="RULE=LEVEL",
        help="off, hint, information or warning: how a rule may speak; may be given several times",
    )


def _add_open(commands: Any) -> None:
    opened = commands.add_parser(
        "open",
        help="show what a recorded torch.profiler trace costs",
        description="Read torch.profiler traces, one or a folder of ranks, and show their costs.",
        allow_abbrev=False,
    )
    add_exports(opened)
    _add_rule(opened)
    opened.add_argument(
        "--map",
        type=_mapping,
        action="append",
        default=[],
        metavar="RECORDED=LOCAL",
        help="where source files of the recording are on this machine; may be given several times",
    )
    opened.add_argument(
        "--source-root",
        type=Path,
        action="append",
        default=[],
        metavar="DIR",
        help="a folder to look for source files in; may be given several times",
    )
    opened.add_argument("traces", type=Path, nargs="+", metavar="TRACE")


_WITH_VALUE = frozenset(
    ("--steps", "--warmup", "--loop", "--python", "--cwd", "--timeout", "--ask-after",
     "--step-timeout", "--grace", "--env", "--rule", "--symbol", "--model", "--inputs",
     "--processes", *EXPORTS)
)  # fmt: skip


def _add_limits(run: argparse.ArgumentParser) -> None:
    from stepscope.session.model import Limits

    usual = Limits()
    for option, seconds, meaning in (
        ("--ask-after", usual.ask_s, "seconds without a step until it is told where the target is"),
        ("--step-timeout", usual.step_s, "seconds that one step may take"),
        ("--grace", usual.grace_s, "seconds that the target gets to end by itself"),
    ):
        run.add_argument(
            option, type=_seconds, default=seconds, metavar="S", help=f"{meaning} ({seconds:g})"
        )


def _split_at_target(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Our own arguments up to the target, and everything after it, untouched.

    Not left to argparse, which takes a ``--`` and options it knows out of the remainder.
    """
    if arguments[:1] != ["run"]:
        return arguments, []
    index = 1
    while index < len(arguments):
        word = arguments[index]
        if word == "--":
            index += 1
            break
        if not word.startswith("-") or word == "-":
            break
        index += 2 if word in _WITH_VALUE else 1
    return arguments[: index + 1], arguments[index + 1 :]


def _whole_from(least: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {least}")
        return int(text)

    return read


def _variable(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, value


def _rule_level(text: str) -> tuple[str, str]:
    from stepscope.diagnosis.engine import discover_rules
    from stepscope.diagnosis.severities import LEVELS

    name, _, level = text.partition("=")
    if level not in LEVELS:
        raise argparse.ArgumentTypeError(f"{text!r} is not RULE=LEVEL ({', '.join(LEVELS)})")
    if name not in {rule.name for rule in discover_rules()}:
        raise argparse.ArgumentTypeError(f"no rule is named {name!r}")
    return name, level


def _mapping(text: str) -> tuple[str, str]:
    recorded, equals, local = text.partition("=")
    if not recorded or not equals or not local:
        raise argparse.ArgumentTypeError(f"{text!r} is not RECORDED=LOCAL")
    return recorded, local


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return value


def _address(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not colon or not port.isdecimal() or int(port) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not HOST:PORT")
    return host.strip("[]") or "127.0.0.1", int(port)
