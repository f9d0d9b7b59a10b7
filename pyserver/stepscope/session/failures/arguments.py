"""The file wants to be told something on its command line."""

from __future__ import annotations

import re

from stepscope.session.failures.record import Answer, Ending, ended_well
from stepscope.session.model import Action, ActionKind

_NEXT = "Give them in the setting stepscope.args, or after the file on the command line."
_SET_ARGS = Action(ActionKind.SET_ARGS)
_LONGEST_USAGE = 400
_FRAME = "╭╰│─╮╯┃━ \t"


def required_arguments(ending: Ending) -> Answer | None:
    """argparse, click, typer, tyro, fire: status 2 and a usage text."""
    said = _usage(ending.errors)
    if ending.code != "2" or not said:
        return None
    return Answer(f"{ending.name} needs other arguments: {said} {_NEXT}", _SET_ARGS)


def usage_as_exit_code(ending: Ending) -> Answer | None:
    """``sys.exit("usage: train.py DATA")``, or a usage printed before ``sys.exit(1)``."""
    code = ending.code
    if code is None or ended_well(code):
        return None
    text = code.strip("'\"") if code[:1] in "'\"" else _last_usage_line(ending.output)
    if not text or "usage" not in text.lower():
        return None
    return Answer(f"{ending.name} needs arguments: {_ended(text)} {_NEXT}", _SET_ARGS)


def argument_by_index(ending: Ending) -> Answer | None:
    """``sys.argv[1]`` without arguments."""
    error, line = ending.error, ending.files.line(ending.place)
    if error is None or "argv" not in line:
        return None
    if not (error.is_a("builtins.IndexError") or "not enough values to unpack" in error.message):
        return None
    return Answer(
        f"{ending.name} reads more arguments{ending.at} (`{line}`) than the "
        f"{len(ending.request.args)} it was given. {_NEXT}",
        _SET_ARGS,
    )


def missing_configuration(ending: Ending) -> Answer | None:
    """Hydra and OmegaConf: a mandatory value that nobody has given."""
    found = ending.find("omegaconf.errors.MissingMandatoryValue")
    text = found.message if found else ending.errors
    named = re.search(r"Missing mandatory value: (\S+)", text)
    if named is None or (found is None and ending.code != "1"):
        return None
    key = named.group(1)
    return Answer(
        f"{ending.name} needs a value for {key}{ending.at}: add {key}=VALUE to the setting "
        "stepscope.args, or after the file on the command line.",
        _SET_ARGS,
    )


def _usage(errors: str) -> str:
    """The error, and the usage it came with, each as a sentence; empty where it is none."""
    lines = [line.strip(_FRAME) for line in errors.splitlines()]
    lines = [line for line in lines if line]
    starts = [i for i, line in enumerate(lines) if line.lower().startswith("usage:")]
    error = ""
    for line in reversed(lines):
        found = re.match(r"(?:\S+: )?error: (.+)", line, re.IGNORECASE)
        if found:
            error = _ended(found.group(1))
            break
    usage = ""
    if starts:
        usage = _joined(lines, starts[-1])
    elif not error:
        boxes = [i for i, line in enumerate(lines) if line.lower().startswith("required options")]
        boxes = boxes or [i for i, line in enumerate(lines) if line.startswith("Missing from")]
        if not boxes:
            return ""
        listed = " ".join(dict.fromkeys(re.findall(r"--[\w.-]+(?: [A-Z{][^\s(]*)?", errors)))
        error = f"{listed.replace(' --help', '')} is required."
    if error and not usage and not re.search(r"argument|option|required", error):
        return ""
    return f"{error} {usage}".strip()


def _joined(lines: list[str], start: int) -> str:
    """The usage line with the lines that continue it."""
    parts = [lines[start]]
    for line in lines[start + 1 :]:
        if re.match(r"(\S+: )?error:|Try |For detailed|optional flags", line, re.IGNORECASE):
            break
        parts.append(line)
    text = " ".join(parts)
    text = text if len(text) <= _LONGEST_USAGE else text[:_LONGEST_USAGE] + " …"
    return _ended(text[:1].upper() + text[1:])


def _last_usage_line(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return next((line for line in lines[-3:] if line.lower().startswith("usage")), "")


def _ended(text: str) -> str:
    text = text.strip()[:_LONGEST_USAGE]
    return text if text.endswith((".", "…")) else f"{text}."
