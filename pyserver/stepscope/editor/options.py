"""Settings that a client sends, as defaulted dataclasses.

Bad values never stop the server: each is described once, and its default is used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from stepscope.diagnosis.severities import LEVELS, RuleSettings, rule_settings
from stepscope.editor.protocol import is_environment
from stepscope.session.model import Limits

SECTION = "stepscope"
_LIMITS = Limits()

PRECISIONS = ("off", "share", "full")
"""How much an inlay hint says."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RuleOptions:
    """Which rules may speak, and how loud: (rule, level) pairs."""

    disable: tuple[str, ...] = ()
    severity: tuple[tuple[str, str], ...] = ()

    @property
    def settings(self) -> RuleSettings:
        """Both together."""
        return rule_settings(self.severity, self.disable)


@dataclass(frozen=True, slots=True)
class InlayHintOptions:
    """Costs at the ends of lines: ``off``, only the ``share`` of the step, or in ``full``."""

    precision: str = "full"


@dataclass(frozen=True, slots=True)
class CodeLensOptions:
    """Lenses that start a ``run``, and lenses with the ``totals`` of functions and loops."""

    run: bool = True
    totals: bool = True


@dataclass(frozen=True, slots=True)
class HeatOptions:
    """Marks on hot lines, in clients that draw them."""

    enabled: bool = True


@dataclass(frozen=True, slots=True)
class TraceOptions:
    """Recordings that are opened. ``source_map``: (what a recorded path begins with, local)."""

    source_map: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Options:
    """All settings. ``steps`` and ``warmup`` None: chosen by the agent; times in seconds.

    ``interpreter`` is the command that runs Python; empty: the server's own.
    """

    interpreter: tuple[str, ...] = ()
    args: tuple[str, ...] = ()
    cwd: str = ""
    steps: int | None = None
    warmup: int | None = None
    timeout: float = 300.0
    ask_after: float = _LIMITS.ask_s
    step_timeout: float = _LIMITS.step_s
    grace: float = _LIMITS.grace_s
    cpu: bool = False
    guard: bool = True
    processes: int | None = None  # ranks that torchrun starts; None: without it
    env: tuple[tuple[str, str], ...] = ()
    model_inputs: tuple[tuple[str, str | None, str | None], ...] = ()
    rules: RuleOptions = field(default_factory=RuleOptions)
    inlay_hints: InlayHintOptions = field(default_factory=InlayHintOptions)
    code_lens: CodeLensOptions = field(default_factory=CodeLensOptions)
    heat: HeatOptions = field(default_factory=HeatOptions)
    trace: TraceOptions = field(default_factory=TraceOptions)


def parse_options(settings: object) -> tuple[Options, tuple[str, ...]]:
    """Options from ``{"stepscope": {...}}``, and one sentence for each value that is not usable.

    Anything that is missing, null or unknown keeps its default: clients send settings of newer
    and older versions.
    """
    reader = _Reader(_section(settings, SECTION), prefix=SECTION)
    rules = reader.inner("rules")
    hints = reader.inner("inlayHints")
    lenses = reader.inner("codeLens")
    heat = reader.inner("heat")
    trace = reader.inner("trace")
    defaults = Options()
    options = Options(
        interpreter=reader.get("interpreter", _command, "a list of strings", ()),
        args=reader.get("args", _strings, "a list of strings", defaults.args),
        cwd=reader.get("cwd", _string, "a path", defaults.cwd),
        steps=reader.get("steps", _positive, "a whole number from 1", None),
        warmup=reader.get("warmup", _not_negative, "a whole number from 0", None),
        timeout=reader.get("timeout", _seconds, "seconds above 0", defaults.timeout),
        ask_after=reader.get("askAfter", _seconds, "seconds above 0", defaults.ask_after),
        step_timeout=reader.get("stepTimeout", _seconds, "seconds above 0", defaults.step_timeout),
        grace=reader.get("grace", _seconds, "seconds above 0", defaults.grace),
        cpu=reader.get("cpu", _boolean, "true or false", defaults.cpu),
        guard=reader.get("guard", _boolean, "true or false", defaults.guard),
        processes=reader.get("processesPerNode", _positive, "a whole number from 1", None),
        env=reader.get("env", _environment, "an object of strings", defaults.env),
        model_inputs=reader.get(
            "modelInputs", _model_inputs, "an object: class -> {model, inputs}", ()
        ),
        rules=RuleOptions(
            disable=rules.get("disable", _strings, "a list of rule names", ()),
            severity=rules.get(
                "severity", _levels, f"an object: rule -> one of {', '.join(LEVELS)}", ()
            ),
        ),
        inlay_hints=InlayHintOptions(
            precision=hints.get(
                "precision",
                _precision,
                f"one of {', '.join(PRECISIONS)}",
                defaults.inlay_hints.precision,
            )
        ),
        code_lens=CodeLensOptions(
            run=lenses.get("run", _boolean, "true or false", defaults.code_lens.run),
            totals=lenses.get("totals", _boolean, "true or false", defaults.code_lens.totals),
        ),
        heat=HeatOptions(
            enabled=heat.get("enabled", _boolean, "true or false", defaults.heat.enabled)
        ),
        trace=TraceOptions(
            source_map=trace.get("sourceMap", _paths, "an object: recorded path -> local path", ())
        ),
    )
    return options, tuple(reader.problems)


class _Reader:
    """Takes typed values out of one JSON object and collects what is wrong with the others."""

    def __init__(
        self, values: Mapping[str, Any], prefix: str, problems: list[str] | None = None
    ) -> None:
        self._values = values
        self._prefix = prefix
        self.problems: list[str] = [] if problems is None else problems

    def get(self, key: str, read: Callable[[object], T], wanted: str, default: T) -> T:
        value = self._values.get(key)
        if value is None:
            return default
        try:
            return read(value)
        except ValueError:
            self.problems.append(f"{self._prefix}.{key} must be {wanted}; the default is used.")
            return default

    def inner(self, key: str) -> _Reader:
        prefix = f"{self._prefix}.{key}"
        value = self._values.get(key)
        if value is not None and not isinstance(value, Mapping):
            self.problems.append(f"{prefix} must be an object; the default is used.")
        return _Reader(_section(self._values, key), prefix, self.problems)


def _section(settings: object, key: str) -> Mapping[str, Any]:
    section = settings.get(key) if isinstance(settings, Mapping) else None
    return section if isinstance(section, Mapping) else {}


def _string(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError
    return value


def _strings(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise ValueError
    return tuple(_string(item) for item in value)


def _levels(value: object) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, Mapping):
        raise ValueError
    pairs = tuple((_string(rule), _string(level)) for rule, level in value.items())
    if any(level not in LEVELS for _, level in pairs):
        raise ValueError
    return pairs


def _precision(value: object) -> str:
    if value not in PRECISIONS:
        raise ValueError
    return _string(value)


def _command(value: object) -> tuple[str, ...]:
    words = _strings(value)
    return words if any(words) else ()


def _model_inputs(value: object) -> tuple[tuple[str, str | None, str | None], ...]:
    """(class, constructor or None, inputs or None) of every entry."""
    if not isinstance(value, Mapping):
        raise ValueError
    found = []
    for name, entry in value.items():
        if not isinstance(name, str) or not isinstance(entry, Mapping):
            raise ValueError
        texts = [None if entry.get(k) is None else _string(entry[k]) for k in ("model", "inputs")]
        found.append((name, texts[0], texts[1]))
    return tuple(found)


def _boolean(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError
    return value


def _environment(value: object) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, dict) or not is_environment(value):
        raise ValueError
    return tuple(value.items())


def _paths(value: object) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, Mapping):
        raise ValueError
    pairs = tuple((_string(recorded), _string(local)) for recorded, local in value.items())
    if not all(recorded and local for recorded, local in pairs):
        raise ValueError
    return pairs


def _whole(value: object, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ValueError
    return value


def _positive(value: object) -> int | None:
    return _whole(value, 1)


def _not_negative(value: object) -> int | None:
    return _whole(value, 0)


def _seconds(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:
        raise ValueError
    return float(value)
