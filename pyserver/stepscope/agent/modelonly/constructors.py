"""Ways in which the model might be made, as Python text, the most trusted first."""

from __future__ import annotations

import ast
import dataclasses
import enum
import inspect
import re
import typing
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from .annotations import is_callable_type, is_sequence, without_none
from .classes import ModelClass, top_level
from .names import VARIANTS, lists_for, values_for
from .parameters import Use, uses_of

_CONFIG_CLASS = re.compile(r"(Config|Configuration|Args|Arguments|HParams|Hparams|Options|Settings"
                           r"|Params|Hyperparameters|Cfg)$")  # fmt: skip
_CONFIG_NAME = re.compile(r"(.*_)?(config|cfg|conf|args|arguments|hparams|hp|opt|opts|options|"
                          r"params|settings|configs)$")  # fmt: skip
_MODULE_NAME = re.compile(r"(.*_)?(backbone|encoder|decoder|model|net|network|module|layer|body|"
                          r"trunk|head|extractor|base_model|generator|discriminator|block|vit|"
                          r"transformer|attn|attention|mlp|embedder|teacher|student"
                          r")s?$")  # fmt: skip
_CALLABLE_NAME = re.compile(r"(.*_)?(fn|func|function|callback|factory|builder|criterion|sampler|"
                            r"transform)$")  # fmt: skip
_OF_MODULES = {
    "parameters", "named_parameters", "modules", "named_modules", "children", "named_children",
    "state_dict", "eval", "requires_grad_", "register_forward_hook", "forward",
}  # fmt: skip
_PLAIN_TYPES = {int: "8", float: "0.1", bool: "False", str: "'base'"}
_DEPTH = 4


@dataclass(frozen=True)
class Constructor:
    """``text`` is evaluated among the file's own names; ``source`` says where it is from."""

    text: str
    source: str


class CannotGuess(Exception):
    """A parameter of which nothing says what it may be."""

    def __init__(self, owner: str, parameter: str, what: str) -> None:
        super().__init__(parameter)
        self.owner, self.parameter, self.what = owner, parameter, what

    def __str__(self) -> str:
        """For a person, in the middle of a sentence."""
        return (
            f"needs a constructor argument `{self.parameter}` that cannot be guessed ({self.what})"
        )


@dataclass
class Guesser:
    """Makes calls of the classes of one file."""

    module: ModuleType
    tree: ast.Module
    classes: list[ModelClass]
    torch: Any
    nodes: dict[str, ast.ClassDef] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.nodes = {n.name: n for n in ast.walk(self.tree) if isinstance(n, ast.ClassDef)}

    # -- candidates ----------------------------------------------------------------------------

    def without_usage(self, entry: ModelClass) -> Iterator[Constructor | CannotGuess]:
        """Factory, defaults, configuration, then names and annotations."""
        for name in self.factories(entry.name):
            if _needs_nothing(getattr(self.module, name, None)):
                yield Constructor(f"{name}()", f"the factory {name}() of the file")
        required = self._required(entry.type)
        if not required:
            yield Constructor(f"{entry.name}()", "the defaults of its parameters")
        seen = {f"{entry.name}()"}
        for variant in range(len(VARIANTS)):
            try:
                text, configured = self.call(entry.name, entry.type, variant)
            except CannotGuess as unknown:
                yield unknown
                return
            if text not in seen:
                seen.add(text)
                words = "names and annotations of its parameters"
                yield Constructor(text, f"the configuration {configured}" if configured else words)

    def factories(self, name: str) -> list[str]:
        """Functions of the file that make the class, through other functions of it or not."""
        functions = {n.name: n for n in top_level(self.tree) if isinstance(n, ast.FunctionDef)}
        found: set[str] = set()
        makers = {name}
        while True:
            new = {
                key
                for key, node in functions.items()
                if key not in found and _returns_call_of(node, makers)
            }
            if not new:
                return [key for key in functions if key in found]
            found |= new
            makers |= new

    # -- one call ------------------------------------------------------------------------------

    def call(self, name: str, made: Any, variant: int, depth: int = 0) -> tuple[str, str | None]:
        """``Name(...)`` with guessed arguments, and the configuration that it uses, if any."""
        words: list[str] = []
        configured: str | None = None
        hints = _hints(made)
        for parameter in self._required(made):
            kind = hints.get(parameter.name, parameter.annotation)
            text, is_config = self._value(name, made, parameter.name, kind, variant, depth)
            if is_config:
                made_up = text.startswith(("dict(", "Namespace("))
                configured = "that the file reads" if made_up else text.partition("(")[0]
            keyword = parameter.kind is not inspect.Parameter.POSITIONAL_ONLY
            words.append(f"{parameter.name}={text}" if keyword else text)
        return f"{name}({', '.join(words)})", configured

    def _required(self, made: Any) -> list[inspect.Parameter]:
        try:
            parameters = list(inspect.signature(made).parameters.values())
        except (TypeError, ValueError):
            return []
        empty = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        return [p for p in parameters if p.default is p.empty and p.kind not in empty]

    def _value(
        self, owner: str, made: Any, name: str, kind: Any, variant: int, depth: int
    ) -> tuple[str, bool]:
        """(text, whether it is a configuration)."""
        use = self._use(made, name)
        kind = without_none(kind)
        found = self._by_type(owner, name, kind, use, variant, depth)
        if found is not None:
            return found, bool(isinstance(kind, type) and _CONFIG_CLASS.search(kind.__name__))
        if _OF_MODULES & set(use.attributes):
            raise CannotGuess(owner, name, "a module")
        looks = len(use.attributes) >= 2 and not _MODULE_NAME.match(name)
        if _CONFIG_NAME.match(name) or looks or use.keys:
            configured = self._configuration(owner, name, kind, use, variant, depth)
            if configured is not None:
                return configured, True
        mapping = typing.get_origin(kind) is dict or kind is dict
        if use.is_dict or mapping:
            raise CannotGuess(owner, name, "a dictionary that the file does not define")
        text = self._by_use(owner, name, kind, use, variant, depth)
        if text is None:
            raise CannotGuess(owner, name, "neither its name nor its use says what it is")
        return text, False

    def _by_type(
        self, owner: str, name: str, kind: Any, use: Use, variant: int, depth: int
    ) -> str | None:
        nn = self.torch.nn
        origin = typing.get_origin(kind)
        if origin is typing.Literal:
            return repr(typing.get_args(kind)[0])
        if isinstance(kind, type):
            if issubclass(kind, enum.Enum):
                member = next(iter(kind))
                return f"{self._name_of(kind)}.{member.name}"
            if issubclass(kind, nn.Module):
                local = self._name_of(kind)
                if local not in self.nodes or depth >= _DEPTH:
                    raise CannotGuess(owner, name, "a module")
                return self.call(local, kind, variant, depth + 1)[0]
            if issubclass(kind, self.torch.Tensor):
                raise CannotGuess(owner, name, "a tensor")
            if kind is bool:
                return "False"
            if kind not in (*_PLAIN_TYPES, list, tuple, dict, object) and kind.__module__ == (
                self.module.__name__
            ):
                if depth >= _DEPTH:
                    raise CannotGuess(owner, name, f"a {kind.__name__}")
                return self.call(self._name_of(kind), kind, variant, depth + 1)[0]
        if is_callable_type(kind) and not values_for(name, variant):
            matching = self._class_named(name)
            if matching is not None:
                return matching
            what = "a class" if origin is type else "a function"
            raise CannotGuess(owner, name, what)
        return None

    def _configuration(
        self, owner: str, name: str, kind: Any, use: Use, variant: int, depth: int
    ) -> str | None:
        """A configuration class or constant of the file, else one made of what is read from it."""
        use = self._use_anywhere(name, use)
        wants_class = not use.is_dict
        for key, made in vars(self.module).items():
            if wants_class and isinstance(made, type) and _CONFIG_CLASS.search(key):
                if issubclass(made, self.torch.nn.Module) or depth >= _DEPTH:
                    continue
                if not all(hasattr(made, n) or n in _fields(made) for n in use.attributes):
                    continue
                try:
                    return self.call(key, made, variant, depth + 1)[0]
                except CannotGuess:
                    continue
        for key, constant in vars(self.module).items():
            if isinstance(constant, dict) and use.is_dict and all(k in constant for k in use.keys):
                return key
            plain = not isinstance(constant, (type, ModuleType)) and not callable(constant)
            fits = use.attributes and all(hasattr(constant, name) for name in use.attributes)
            if plain and wants_class and fits:
                return key
        if not (use.attributes or use.keys):
            return None
        wanted = use.keys if use.is_dict else use.attributes
        parts = []
        for attribute in wanted:
            values = values_for(attribute, variant)
            if not values:
                what = f"a free-form configuration; nothing says what its `{attribute}` is"
                raise CannotGuess(owner, name, what)
            parts.append(f"{attribute}={values[0]}")
        return f"dict({', '.join(parts)})" if use.is_dict else f"Namespace({', '.join(parts)})"

    def _by_use(
        self, owner: str, name: str, kind: Any, use: Use, variant: int, depth: int
    ) -> str | None:
        # What it is compared with: texts, and members of what the file knows by name.
        choices = [c for c in use.choices if c[0] == "'" or hasattr(self.module, c.split(".")[0])]
        if choices:
            return choices[min(variant, len(choices) - 1)]
        if kind is float:
            return (values_for(name, variant) or ("0.1",))[0]
        if is_sequence(kind) or (use.is_list and kind not in _PLAIN_TYPES):
            return _a_list(name, use, variant)
        named = values_for(name, variant)
        local = self._class_named(name)
        if use.called or (local is not None and not named):
            return self._callable(owner, name, use, variant, depth, local, named)
        if named and kind is not str:
            return named[min(variant, len(named) - 1)]
        if kind is str:
            return next((value for value in named if value.startswith("'")), "'base'")
        if kind in _PLAIN_TYPES:
            return str(_PLAIN_TYPES[kind])
        for role in use.roles:
            values = values_for(role, variant)
            if values:
                return values[0]
        if depth < _DEPTH:
            passed = self._as_passed(use, variant, depth)
            if passed is not None:
                return passed
        if _MODULE_NAME.match(name):
            raise CannotGuess(owner, name, "a module")
        if _CALLABLE_NAME.match(name):
            raise CannotGuess(owner, name, "a function")
        return "8" if use.arithmetic else None

    def _callable(
        self, owner: str, name: str, use: Use, variant: int, depth: int,
        local: str | None, named: tuple[str, ...],
    ) -> str:  # fmt: skip
        if local is not None and depth < _DEPTH:
            made = getattr(self.module, local)
            # One of the file's own classes: the class itself where it is called to be made.
            if use.called and re.search(r"(block|layer|cell)$", name):
                return local
            return self.call(local, made, variant, depth + 1)[0]
        layers = [value for value in named if value.startswith("nn.")]
        if layers:
            return layers[min(variant, len(layers) - 1)]
        if _MODULE_NAME.match(name):
            raise CannotGuess(owner, name, "a module")
        plain = _CALLABLE_NAME.match(name)
        raise CannotGuess(owner, name, "a function" if plain else "a module or a function")

    def _as_passed(self, use: Use, variant: int, depth: int) -> str | None:
        """What the parameter is for another class of the file that gets it."""
        for other, place in use.passed:
            made = getattr(self.module, other, None)
            if other not in self.nodes or made is None:
                continue
            parameters = list(inspect.signature(made).parameters.values())
            hints = _hints(made)
            for index, parameter in enumerate(parameters):
                if place in (index, parameter.name):
                    kind = hints.get(parameter.name, parameter.annotation)
                    return self._value(other, made, parameter.name, kind, variant, depth + 1)[0]
        return None

    # -- looking around ------------------------------------------------------------------------

    def _use(self, made: Any, name: str) -> Use:
        for base in getattr(made, "__mro__", ()):
            node = self.nodes.get(base.__name__)
            if node is not None and "__init__" in vars(base):
                return uses_of(node, name)
        return Use()

    def _use_anywhere(self, name: str, first: Use) -> Use:
        """A configuration is handed down: what every class of the file reads from it."""
        whole = Use(is_dict=first.is_dict, attributes=list(first.attributes), keys=list(first.keys))
        for node in self.nodes.values():
            use = uses_of(node, name)
            whole.is_dict |= use.is_dict
            whole.attributes += [a for a in use.attributes if a not in whole.attributes]
            whole.keys += [k for k in use.keys if k not in whole.keys]
        return whole

    def _class_named(self, name: str) -> str | None:
        """The module class of the file that a parameter is named after."""
        plain = name.replace("_", "").lower()
        for entry in self.classes:
            if entry.name.lower() == plain:
                return entry.name
        if len(plain) < 4:
            return None
        for entry in self.classes:
            if entry.name.lower().endswith(plain):
                return entry.name
        return None

    def _name_of(self, made: Any) -> str:
        for key, value in vars(self.module).items():
            if value is made:
                return key
        return str(made.__name__)


def _a_list(name: str, use: Use, variant: int) -> str:
    if use.list_length:
        values = values_for(name.rstrip("s"), variant) or values_for(name, variant) or ("8",)
        return f"({', '.join([values[0]] * use.list_length)})"
    values = lists_for(name)
    return values[min(variant, len(values) - 1)]


def _returns_call_of(node: ast.FunctionDef, makers: set[str]) -> bool:
    """Whether the function makes one of them, outside inner functions, and returns something."""
    returns = any(isinstance(n, ast.Return) and n.value is not None for n in ast.walk(node))
    if node.name.startswith("test") or not returns:
        return False
    return any(
        isinstance(n, ast.Call)
        and ((isinstance(n.func, ast.Name) and n.func.id in makers)
             or any(isinstance(a, ast.Name) and a.id in makers for a in n.args))
        for n in ast.walk(node)
    )  # fmt: skip


def _needs_nothing(function: Any) -> bool:
    if function is None:
        return False
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    empty = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    if any(p.default is p.empty and p.kind not in empty for p in parameters):
        return False
    # A default that would fetch weights is no harmless default.
    return not any(p.name in ("pretrained", "weights") and p.default for p in parameters)


def _hints(made: Any) -> dict[str, Any]:
    """Resolved annotations of the constructor; those that cannot be resolved are left out."""
    init = getattr(made, "__init__") if isinstance(made, type) else made  # noqa: B009
    try:
        return typing.get_type_hints(init)
    except Exception:
        raw = getattr(init, "__annotations__", {})
        return {name: kind for name, kind in raw.items() if not isinstance(kind, str)}


def _fields(made: Any) -> set[str]:
    if dataclasses.is_dataclass(made):
        return {entry.name for entry in dataclasses.fields(made)}
    try:
        return set(inspect.signature(made).parameters)
    except (TypeError, ValueError):
        return set()
