"""Arguments for forward, as Python text: from its signature, its names, and the first layers."""

from __future__ import annotations

import dataclasses
import inspect
import itertools
import re
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .annotations import without_none
from .flow import Flow
from .reach import Reach
from .shapes import ADJACENCY, EDGE_LIST, STATE, Shapes, is_size
from .usage import BATCH

_SIZES = (64, 32, 224, 28, 128, 256, 96, 48, 84, 227, 299, 16)
_LENGTHS = (32, 64, 16, 128, 49, 196, 10, 8, 4, 100, 256)
_SAMPLES = (256, 1024, 4096, 16000, 128, 64, 784)
_LONGEST = 1024
_MOST = 240  # combinations that are worth a trial

_SIZE_NAMES = re.compile(r"(image|img|input|in)_?(size|res|resolution|hw|shape|dims?)|resolution|"
                         r"imsize|size|spatial_size|input_resolution|height")  # fmt: skip
_LENGTH_NAMES = re.compile(r".*(len|length|block_size|context_size|context_window|seq_size|n_ctx|"
                           r"num_positions|max_positions|max_position_embeddings|lookback|"
                           r"n_positions|num_tokens_per_sample)")  # fmt: skip


@dataclass(frozen=True)
class Inputs:
    """Arguments as text; the number of samples stands in it as ``usage.BATCH``."""

    args: tuple[str, ...]
    kwargs: tuple[tuple[str, str], ...]
    source: str
    batch: int | None = None  # as documented

    @property
    def has_batch(self) -> bool:
        """Whether more samples can be asked for."""
        return BATCH in self.text(None)

    def text(self, batch: int | None) -> str:
        """The arguments as they stand between the parentheses of a call."""
        words = [*self.args, *(f"{name}={value}" for name, value in self.kwargs)]
        joined = ", ".join(words)
        return joined if batch is None else joined.replace(BATCH, str(batch))


class InputFinder:
    """Candidates for one model. ``known`` are the values its constructor was given."""

    def __init__(self, torch: Any, model: Any, known: dict[str, Any]) -> None:
        self.torch = torch
        self.model = model
        self.known = known
        self.flow = Flow(torch)
        self.parameters = _forward_parameters(model)
        self.hints = _forward_hints(model)
        names = [p.name.lower() for p in self.parameters]
        is_graph = any(ADJACENCY.fullmatch(n) or EDGE_LIST.fullmatch(n) for n in names)
        self.shapes = Shapes(torch, model, known, is_graph=is_graph)

    def candidates(self) -> Iterator[Inputs]:
        """Likeliest first: every argument as its layer suggests, then one by one otherwise."""
        words = "forward's arguments and the layers they reach"
        example = self._example()
        if example is not None:
            yield example
        for chosen in self._choices():
            options = [self._options(p) for p in chosen]
            if all(options):
                for texts in self._combined(options):
                    args: list[str] = []
                    kwargs: list[tuple[str, str]] = []
                    for parameter, text in zip(chosen, texts, strict=True):
                        by_name = parameter.kind is parameter.KEYWORD_ONLY
                        if by_name or len(kwargs) or parameter not in self._leading(chosen):
                            kwargs.append((parameter.name, text))
                        else:
                            args.append(text)
                    yield Inputs(tuple(args), tuple(kwargs), words)

    # -- which arguments -----------------------------------------------------------------------

    def _choices(self) -> Iterator[list[inspect.Parameter]]:
        required = [p for p in self.parameters if p.default is p.empty]
        optional = [p for p in self.parameters if p.default is not p.empty]
        if required:
            yield required
        tensors = [p for p in optional if self._is_tensor(p)]
        for count in (1, 2, 3):
            if len(tensors) >= count:
                yield [*required, *tensors[:count]]
        if not self.parameters:
            yield []

    def _leading(self, chosen: list[inspect.Parameter]) -> list[inspect.Parameter]:
        """Those that can be given by position: no argument is left out before them."""
        leading = []
        for expected, parameter in zip(self.parameters, chosen, strict=False):
            if expected is not parameter:
                break
            leading.append(parameter)
        return leading

    def _is_tensor(self, parameter: inspect.Parameter) -> bool:
        kind = without_none(self.hints.get(parameter.name))
        if kind in (bool, int, float, str):
            return False
        return parameter.default is None and not STATE.fullmatch(parameter.name)

    def _example(self) -> Inputs | None:
        """What the model itself keeps as an example (Lightning's name for it)."""
        held = vars(self.model).get("example_input_array")
        if isinstance(held, self.torch.Tensor) and held.is_floating_point():
            shape = ", ".join([BATCH, *(str(size) for size in held.shape[1:])])
            return Inputs((f"torch.randn({shape})",), (), "the model's example_input_array")
        return None

    # -- combining -----------------------------------------------------------------------------

    def _combined(self, options: list[list[str]]) -> list[tuple[str, ...]]:
        whole = " ".join(text for values in options for text in values)
        sizes = self._sizes() if "{H}" in whole else [("", "")]
        lengths = self._lengths() if "{T}" in whole else [""]
        samples = self._samples() if "{L}" in whole else [""]
        ranked: list[tuple[int, int, tuple[str, ...]]] = []
        scenes = list(itertools.product(enumerate(sizes), enumerate(lengths), enumerate(samples)))
        kinds = [tuple(re.sub(r"\d+", "", text) for text in values) for values in options]
        picks = list(
            itertools.islice(itertools.product(*(range(min(len(v), 6)) for v in options)), 20_000)
        )
        picks.sort(key=lambda pick: _effort(pick, kinds))
        for pick in picks[:_MOST]:
            for (i, (height, width)), (j, length), (k, sample) in scenes:
                texts = tuple(
                    values[index]
                    .replace("{H}", str(height))
                    .replace("{W}", str(width))
                    .replace("{T}", str(length))
                    .replace("{L}", str(sample))
                    for values, index in zip(options, pick, strict=True)
                )
                ranked.append((_effort(pick, kinds) * 2 + i + j + k, len(ranked), texts))
        ranked.sort()
        return list(dict.fromkeys(texts for _, _, texts in ranked))[:_MOST]

    def _sizes(self) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        for name, value in self.known.items():
            if not _SIZE_NAMES.fullmatch(name):
                continue
            if is_size(value):
                found.append((value, value))
            elif _is_pair(value):
                found.append((value[-2], value[-1]))
        return list(dict.fromkeys([*found, *((size, size) for size in _SIZES)]))

    def _lengths(self) -> list[int]:
        found = [
            min(value, _LONGEST)
            for name, value in self.known.items()
            if _LENGTH_NAMES.fullmatch(name) and is_size(value) and value > 1
        ]
        tables: list[int] = []
        for parameter in self.parameters:
            added = self.flow.reach(self.model, parameter.name).added
            if len(added) >= 2:
                tables += [added[-2], added[-2] - 1]
        for held in self.model.parameters():
            if isinstance(held, self.torch.nn.parameter.UninitializedTensorMixin):
                continue
            if held.dim() == 3 and 1 in held.shape[:2] and max(held.shape[:2]) > 1:
                tables += [max(held.shape[:2]), max(held.shape[:2]) - 1]
        counted = [size for size in tables if size > 1]
        return list(dict.fromkeys([*found, *counted, *_LENGTHS]))

    def _samples(self) -> list[int]:
        found = [
            value
            for name, value in self.known.items()
            if (_LENGTH_NAMES.fullmatch(name) or name in ("input_size", "num_samples", "n_samples"))
            and is_size(value)
            and value > 8
        ]
        return list(dict.fromkeys([*found, *_SAMPLES]))

    # -- one argument --------------------------------------------------------------------------

    def _options(self, parameter: inspect.Parameter) -> list[str]:
        name = parameter.name
        kind = without_none(self.hints.get(name, parameter.annotation))
        reach = self.flow.reach(self.model, name)
        if parameter.kind is parameter.VAR_POSITIONAL:
            return self.shapes.tensor("x", reach)[:3]
        if kind is bool:
            return ["False", "True"]
        if kind in (int, float, str):
            return self._scalar(name, kind)
        origin = typing.get_origin(kind) or kind
        if dataclasses.is_dataclass(kind) and isinstance(kind, type):
            return self._dataclass(name, kind)
        tensor = isinstance(kind, type) and issubclass(kind, self.torch.Tensor)
        if origin is dict or (reach.keys and not tensor):
            return self._mapping(name, reach)
        attributes = [a for a in reach.attributes if not hasattr(self.torch.Tensor, a)]
        if attributes and not tensor:
            return self._object(name, attributes)
        is_list = origin in (list, tuple) or getattr(origin, "__name__", "") == "Sequence"
        if is_list or (not tensor and (reach.in_list or reach.items)):
            several = self._sequence(name, reach, origin)
            return several if is_list else [*self.shapes.tensor(name, reach)[:3], *several]
        return self.shapes.tensor(name, reach)

    def _scalar(self, name: str, kind: type) -> list[str]:
        value = self.known.get(name)
        if isinstance(value, kind):
            return [repr(value)]
        if kind is int:
            return ["{T}"] if _LENGTH_NAMES.fullmatch(name) else ["1", "4", "0"]
        return ["1.0", "0.5"] if kind is float else ["'text'"]

    def _mapping(self, name: str, reach: Reach) -> list[str]:
        rows = []
        for key in reach.keys:
            inner = self.flow.reach(self.model, name, key)
            rows.append((key, self.shapes.tensor(key, inner)))
        return [
            "{" + ", ".join(f"{key!r}: {_at(texts, index)}" for key, texts in rows) + "}"
            for index in range(4)
            if rows and all(texts for _, texts in rows)
        ]

    def _object(self, name: str, attributes: list[str]) -> list[str]:
        self.shapes.is_graph |= any(EDGE_LIST.fullmatch(a) for a in attributes)
        rows = [
            (a, self.shapes.tensor(a, self.flow.reach(self.model, name, a))) for a in attributes
        ]
        return [
            "Namespace(" + ", ".join(f"{key}={_at(texts, index)}" for key, texts in rows) + ")"
            for index in range(4)
        ]

    def _dataclass(self, name: str, kind: Any) -> list[str]:
        rows = []
        for entry in dataclasses.fields(kind):
            if entry.default is dataclasses.MISSING and entry.default_factory is (
                dataclasses.MISSING
            ):
                inner = self.flow.reach(self.model, name, entry.name)
                rows.append((entry.name, self.shapes.tensor(entry.name, inner)))
        return [
            f"{kind.__name__}(" + ", ".join(f"{k}={_at(texts, i)}" for k, texts in rows) + ")"
            for i in range(4)
        ]

    def _sequence(self, name: str, reach: Reach, origin: Any) -> list[str]:
        """Several tensors: maps of shrinking size where the model lists channels for them."""
        found = []
        for value in self.known.values():
            listed = isinstance(value, (list, tuple)) and 1 < len(value) < 8
            if listed and all(is_size(size) and size >= 8 for size in value):
                sides = [64 >> index for index in range(len(value))]
                maps = [
                    f"torch.randn({BATCH}, {c}, {side}, {side})"
                    for c, side in zip(value, sides, strict=True)
                ]
                found.append(f"[{', '.join(maps)}]")
        count = reach.items or 2
        parts = []
        for index in range(count):
            inner = self.flow.reach(self.model, name, index)
            parts.append(self.shapes.tensor(name, inner if inner.leaf is not None else reach))
        for choice in range(3):
            joined = ", ".join(_at(texts, choice) for texts in parts)
            found.append(f"({joined})" if origin is tuple or reach.items else f"[{joined}]")
        return list(dict.fromkeys(found))


def known_values(bound: dict[str, Any]) -> dict[str, Any]:
    """The constructor's values by name, those of a configuration among them."""
    found: dict[str, Any] = {}
    for name, value in bound.items():
        found[name] = value
        inner = value if isinstance(value, dict) else getattr(value, "__dict__", None)
        if isinstance(inner, dict) and not hasattr(value, "forward") and not callable(value):
            slots = {k: v for k, v in inner.items() if isinstance(k, str)}
            found |= {k: v for k, v in slots.items() if k not in found}
        cls_values = {} if isinstance(value, (dict, type)) else vars(type(value))
        for key, held in cls_values.items():
            if isinstance(held, (int, tuple, list)) and not key.startswith("_"):
                found.setdefault(key, held)
    return found


def _effort(pick: tuple[int, ...], kinds: list[tuple[str, ...]]) -> int:
    """How far a choice is from the likeliest. Arguments of one kind are likeliest all alike."""
    chosen: dict[tuple[str, ...], set[int]] = {}
    for index, kind in zip(pick, kinds, strict=True):
        chosen.setdefault(kind, set()).add(index)
    return sum(sum(indices) + len(indices) - 1 for indices in chosen.values())


def _forward_parameters(model: Any) -> list[inspect.Parameter]:
    try:
        parameters = list(inspect.signature(model.forward).parameters.values())
    except (TypeError, ValueError):
        return []
    given = [p for p in parameters if p.kind is not p.VAR_KEYWORD]
    named = [p for p in given if p.kind is not p.VAR_POSITIONAL]
    return named or [p.replace(name=p.name) for p in given]


def _forward_hints(model: Any) -> dict[str, Any]:
    try:
        return typing.get_type_hints(type(model).forward)
    except Exception:
        return {}


def _at(texts: list[str], index: int) -> str:
    return texts[min(index, len(texts) - 1)]


def _is_pair(value: object) -> bool:
    return isinstance(value, (tuple, list)) and len(value) >= 2 and all(map(is_size, value))
