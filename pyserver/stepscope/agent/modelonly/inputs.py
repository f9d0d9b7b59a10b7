"""Arguments for forward, as Python text: from its signature, its names, and the first layers."""

from __future__ import annotations

import dataclasses
import inspect
import itertools
import math
import re
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .flow import Flow, Reach
from .usage import BATCH

NODES, EDGES = 256, 1024  # of a graph: it is one sample, however large
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
_MASK = re.compile(r".*mask.*")
_TIME = re.compile(r"(t|time|times|timesteps?|time_steps?|ts|sigmas?|noise_level|noise_labels|"
                   r"diffusion_step|steps?)")  # fmt: skip
_LABEL = re.compile(r"(y|labels?|class(es|_id|_ids|_label|_labels)?|targets?|c_label|cls|"
                    r"speaker(_ids?)?|genre|domain)")  # fmt: skip
_LENGTHS_NAME = re.compile(r"(x_|src_|seq_|input_|text_|sequence_)?(lengths?|lens?|sizes)")
_ADJACENCY = re.compile(r"(a|adj|adjacency|adj_matrix|adjacency_matrix|adj_t|a_hat|laplacian|graph|"
                        r"lap|support)")  # fmt: skip
_EDGES = re.compile(r"(edge_index|edges|edge_idx|edge_list)")
_EDGE_VALUES = re.compile(r"(edge_attr|edge_attrs|edge_feats?|edge_features?|edge_weights?|e|"
                          r"edge_types?)")  # fmt: skip
_STATE = re.compile(r"(h|hx|hidden|hiddens|hidden_states?|state|states|h0|h_0|prev_state|hc|memory_"
                    r"state|init_state|past.*|cache|kv_cache)")  # fmt: skip
_POINTS = re.compile(
    r"(points?|xyz|pcd?|point_?clouds?|coords?|coordinates|pos|positions|vertices)"
)
_AUDIO = re.compile(r"(wavs?|waveforms?|audios?|signals?|speech|sound|samples)")
_IDS = re.compile(r"(users?|items?|movies?|products?|heads?|tails?|rel(ation)?s?|nodes?|subject|"
                  r"object|entity|anchors?|y|labels?|class.*|cls|cond|c)(_?(ids?|idx|index|indices)"
                  r")?")  # fmt: skip
_IMAGE = re.compile(r"(images?|imgs?|pixel_values|pictures?|frames?|x_img|left|right|views?)")
_LATENT = re.compile(r"(z|latents?|noise|w|code|styles?)")
_TOKENS = re.compile(r"(input_ids|ids|tokens?|token_ids|idx|texts?|src|tgt|trg|words?|captions?|"
                     r"sentences?|input_seq|seqs?|sequences?)")  # fmt: skip


_LONG_NAMES = {
    "obs": "observation", "z": "latent", "act": "action", "cond": "condition", "x": "input",
    "context": "ctx", "latent": "z", "y": "class",
}  # fmt: skip


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
        self.is_graph = any(_ADJACENCY.fullmatch(n) or _EDGES.fullmatch(n) for n in names)

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
        kind = _without_none(self.hints.get(parameter.name))
        if kind in (bool, int, float, str):
            return False
        return parameter.default is None and not _STATE.fullmatch(parameter.name)

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
            if _is_size(value):
                found.append((value, value))
            elif _is_pair(value):
                found.append((value[-2], value[-1]))
        return list(dict.fromkeys([*found, *((size, size) for size in _SIZES)]))

    def _lengths(self) -> list[int]:
        found = [
            min(value, _LONGEST)
            for name, value in self.known.items()
            if _LENGTH_NAMES.fullmatch(name) and _is_size(value) and value > 1
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
            and _is_size(value)
            and value > 8
        ]
        return list(dict.fromkeys([*found, *_SAMPLES]))

    # -- one argument --------------------------------------------------------------------------

    def _options(self, parameter: inspect.Parameter) -> list[str]:
        name = parameter.name
        kind = _without_none(self.hints.get(name, parameter.annotation))
        reach = self.flow.reach(self.model, name)
        if parameter.kind is parameter.VAR_POSITIONAL:
            return self._tensor("x", reach)[:3]
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
            return several if is_list else [*self._tensor(name, reach)[:3], *several]
        return self._tensor(name, reach)

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
            rows.append((key, self._tensor(key, inner)))
        return [
            "{" + ", ".join(f"{key!r}: {_at(texts, index)}" for key, texts in rows) + "}"
            for index in range(4)
            if rows and all(texts for _, texts in rows)
        ]

    def _object(self, name: str, attributes: list[str]) -> list[str]:
        self.is_graph |= any(_EDGES.fullmatch(a) for a in attributes)
        rows = [(a, self._tensor(a, self.flow.reach(self.model, name, a))) for a in attributes]
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
                rows.append((entry.name, self._tensor(entry.name, inner)))
        return [
            f"{kind.__name__}(" + ", ".join(f"{k}={_at(texts, i)}" for k, texts in rows) + ")"
            for i in range(4)
        ]

    def _sequence(self, name: str, reach: Reach, origin: Any) -> list[str]:
        """Several tensors: maps of shrinking size where the model lists channels for them."""
        found = []
        for value in self.known.values():
            listed = isinstance(value, (list, tuple)) and 1 < len(value) < 8
            if listed and all(_is_size(size) and size >= 8 for size in value):
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
            parts.append(self._tensor(name, inner if inner.leaf is not None else reach))
        for choice in range(3):
            joined = ", ".join(_at(texts, choice) for texts in parts)
            found.append(f"({joined})" if origin is tuple or reach.items else f"[{joined}]")
        return list(dict.fromkeys(found))

    def _tensor(self, name: str, reach: Reach) -> list[str]:
        plain = name.lower()
        decided = self._by_name(plain, reach)
        layered = self._by_layer(plain, reach)
        fallback = self._by_known(plain, reach)
        found = list(dict.fromkeys([*decided, *layered, *fallback]))
        if reach.rank is not None and not decided:
            # A rank that the code itself unpacks is worth more than an order of ours.
            found.sort(key=lambda text: _rank(text) != reach.rank)
        return found

    def _by_name(self, name: str, reach: Reach) -> list[str]:
        """Arguments whose name says more than the layer that they reach."""
        if _MASK.fullmatch(name):
            shapes = [
                f"{BATCH}, {{T}}",
                "{T}, {T}",
                f"{BATCH}, 1, 1, {{T}}",
                f"{BATCH}, {{T}}, {{T}}",
            ]
            if self._is_sequence_first() and "pad" not in name:
                shapes.insert(0, shapes.pop(1))
            # To torch's own attention True means hidden; most code of others means seen by it.
            fill = "zeros" if isinstance(reach.leaf, self.torch.nn.MultiheadAttention) else "ones"
            found = [f"torch.{fill}({shape}, dtype=torch.bool)" for shape in shapes]
            image = f"torch.ones({BATCH}, 1, {{H}}, {{W}})"
            if isinstance(reach.leaf, self.torch.nn.Conv2d):
                return [image]
            return ["None", *found] if reach.leaf is None and not reach.attributes else found
        if _TIME.fullmatch(name):
            steps = self._count(("timesteps", "num_timesteps", "n_steps", "num_steps", "T"), 100)
            discrete, real = f"torch.randint({steps}, ({BATCH},))", f"torch.rand({BATCH})"
            linear = isinstance(reach.leaf, self.torch.nn.Linear)
            if linear and reach.leaf.in_features == 1:
                return [f"torch.rand({BATCH}, 1)", real]
            if isinstance(reach.leaf, self.torch.nn.Embedding):
                return []
            return [discrete, real, f"torch.rand({BATCH}, 1)"]
        if _LENGTHS_NAME.fullmatch(name):
            return [f"torch.full(({BATCH},), {{T}})"]
        if _EDGES.fullmatch(name):
            return [
                f"torch.randint({NODES}, (2, {EDGES}))",
                f"torch.randint({NODES}, ({EDGES}, 2))",
            ]
        if self.is_graph and _EDGE_VALUES.fullmatch(name):
            linear = isinstance(reach.leaf, self.torch.nn.Linear)
            wide = [f"torch.randn({EDGES}, {reach.leaf.in_features})"] if linear else []
            return [*wide, f"torch.rand({EDGES})"]
        if _ADJACENCY.fullmatch(name):
            return [f"torch.rand({NODES}, {NODES})", f"torch.rand({BATCH}, 16, 16)"]
        if self.is_graph and name in ("batch", "batch_index", "graph_ids"):
            return [f"torch.zeros({NODES}, dtype=torch.long)"]
        if _STATE.fullmatch(name):
            return self._state(reach)
        if _LABEL.fullmatch(name) and not isinstance(reach.leaf, self.flow.known[:8]):
            classes = self._count(("num_classes", "n_classes", "classes", "vocab_size"), 10)
            return [f"torch.randint({classes}, ({BATCH},))"]
        return []

    def _state(self, reach: Reach) -> list[str]:
        nn = self.torch.nn
        rnns = [m for m in self.model.modules() if isinstance(m, nn.RNNBase)]
        cells = [m for m in self.model.modules() if isinstance(m, nn.RNNCellBase)]
        found = []
        if rnns and (reach.leaf is None or isinstance(reach.leaf, nn.RNNBase)):
            rnn = rnns[0]
            layers = rnn.num_layers * (2 if rnn.bidirectional else 1)
            zeros = f"torch.zeros({layers}, {BATCH}, {rnn.hidden_size})"
            found = [f"({zeros}, {zeros})"] if isinstance(rnn, nn.LSTM) else [zeros]
            return [*found, "None"]
        if cells and (reach.leaf is None or isinstance(reach.leaf, nn.RNNCellBase)):
            zeros = f"torch.zeros({BATCH}, {cells[0].hidden_size})"
            lstm = isinstance(cells[0], nn.LSTMCell)
            return [f"({zeros}, {zeros})" if lstm else zeros, "None"]
        return [] if reach.leaf is not None or reach.weight else ["None"]

    def _by_layer(self, name: str, reach: Reach) -> list[str]:
        nn, leaf = self.torch.nn, reach.leaf
        own = self._own_width(name) if reach.joined else None
        first = [f"torch.randn({BATCH}, {own})"] if own else []
        if reach.axes:
            shaped = self._by_axes(reach)
            if shaped:
                first.append(shaped)
        if isinstance(leaf, (nn.Embedding, nn.EmbeddingBag)):
            return self._indices(name, leaf.num_embeddings)
        if reach.integers:
            known = self._count(("vocab_size", "num_classes", "n_classes", "num_tokens"), 10)
            count = reach.weight[0] if reach.weight else known
            return self._indices(name, count)
        if leaf is not None:
            return [*first, *self._floats(name, reach)]
        if reach.weight:
            widths = list(dict.fromkeys([reach.weight[-2], reach.weight[-1]]))
            flat = [f"torch.randn({BATCH}, {w})" for w in widths]
            deep = [f"torch.randn({BATCH}, {{T}}, {w})" for w in widths]
            nodes = [f"torch.randn({NODES}, {w})" for w in widths] if self.is_graph else []
            return [*first, *nodes, *flat, *deep]
        return first

    def _indices(self, name: str, count: int) -> list[str]:
        flat = f"torch.randint({count}, ({BATCH},))"
        rows = f"torch.randint({count}, ({BATCH}, {{T}}))"
        columns = f"torch.randint({count}, ({{T}}, {BATCH}))"
        found = [columns, rows] if self._is_sequence_first() else [rows]
        found.insert(0 if _IDS.fullmatch(name) else len(found), flat)
        for value in self.known.values():
            # One column for each categorical field, none of which may exceed its own table.
            listed = isinstance(value, (list, tuple)) and len(value) > 1
            if listed and all(map(_is_size, value)) and count in (value[0], sum(value)):
                found.insert(0, f"torch.randint({min(value)}, ({BATCH}, {len(value)}))")
        if self.is_graph:
            found.insert(0, f"torch.randint({count}, ({NODES},))")
        return found

    def _is_sequence_first(self) -> bool:
        """Whether every layer over sequences takes them along the first axis."""
        nn = self.torch.nn
        kinds = (nn.RNNBase, nn.MultiheadAttention)
        layers = [m.batch_first for m in self.model.modules() if isinstance(m, kinds)]
        return bool(layers) and not any(layers)

    def _floats(self, name: str, reach: Reach) -> list[str]:
        nn, leaf = self.torch.nn, reach.leaf
        image = "{H}, {W}"
        frames = self._count(("num_frames", "frames", "n_frames", "frames_num"), 8)
        if isinstance(leaf, (nn.Conv2d, nn.InstanceNorm2d, nn.BatchNorm2d)):
            if isinstance(leaf, nn.LazyConv2d):
                c = self._count(("in_channels", "channels"), 3)
            else:
                c = leaf.in_channels if isinstance(leaf, nn.Conv2d) else leaf.num_features
            found = [f"{BATCH}, {c}, {image}"]
            if reach.moved:
                found.insert(1, f"{BATCH}, {image}, {c}")
            if c == 1 or (reach.reshaped and reach.rank == 3):
                found.append(f"{BATCH}, {image}")
            found += [f"{BATCH}, {frames}, {c}, {image}", f"{BATCH}, {c}, {frames}, {image}"]
            found += [f"{BATCH}, {self._count(('in_channels', 'channels'), 3)}, {image}"]
        elif isinstance(leaf, (nn.Conv1d, nn.ConvTranspose1d)):
            c = leaf.in_channels
            found = [f"{BATCH}, {c}, {{L}}", f"{BATCH}, {{L}}, {c}"]
            if _POINTS.fullmatch(name) or (c == 3 and name == "x" and reach.moved):
                found.insert(0, f"{BATCH}, 1024, {c}")
            elif reach.moved:
                found.reverse()
            if c == 1:
                found.insert(len(found) - 1 if reach.reshaped else 0, f"{BATCH}, {{L}}")
                if not (reach.reshaped or _AUDIO.fullmatch(name)):
                    found.append(found.pop(0))
        elif isinstance(leaf, (nn.Conv3d, nn.ConvTranspose3d, nn.BatchNorm3d)):
            c = leaf.num_features if isinstance(leaf, nn.BatchNorm3d) else leaf.in_channels
            found = [f"{BATCH}, {c}, {frames}, {image}", f"{BATCH}, {frames}, {c}, {image}"]
            found += [f"{BATCH}, {c}, 16, {image}", f"{BATCH}, {c}, 16, 16, 16",
                      f"{BATCH}, {c}, 32, 32, 32"]  # fmt: skip
        elif isinstance(leaf, nn.ConvTranspose2d):
            c = leaf.in_channels
            found = [f"{BATCH}, {c}, 1, 1", f"{BATCH}, {c}, 8, 8", f"{BATCH}, {c}"]
            if reach.reshaped:
                found.insert(0, found.pop())
        elif isinstance(leaf, (nn.RNNBase, nn.MultiheadAttention)):
            width = leaf.input_size if isinstance(leaf, nn.RNNBase) else leaf.embed_dim
            found = [f"{BATCH}, {{T}}, {width}", f"{{T}}, {BATCH}, {width}"]
            if not leaf.batch_first and not reach.moved:
                found.reverse()
        elif isinstance(leaf, nn.RNNCellBase):
            found = [f"{BATCH}, {leaf.input_size}", f"{BATCH}, {{T}}, {leaf.input_size}"]
        elif isinstance(leaf, nn.LayerNorm):
            shape = ", ".join(str(size) for size in leaf.normalized_shape)
            found = [f"{BATCH}, {{T}}, {shape}", f"{BATCH}, {shape}", f"{BATCH}, {image}, {shape}"]
            if reach.moved:
                found.insert(0, f"{BATCH}, {shape}, {image}")
        elif isinstance(leaf, nn.GroupNorm):
            found = [
                f"{BATCH}, {leaf.num_channels}, {image}",
                f"{BATCH}, {leaf.num_channels}, {{T}}",
            ]
        elif isinstance(leaf, nn.BatchNorm1d):
            found = [f"{BATCH}, {leaf.num_features}", f"{BATCH}, {leaf.num_features}, {{L}}",
                     f"{BATCH}, {{L}}, {leaf.num_features}"]  # fmt: skip
        else:
            found = self._to_linear(name, reach)
        return [f"torch.randn({shape})" for shape in found]

    def _to_linear(self, name: str, reach: Reach) -> list[str]:
        nn, leaf = self.torch.nn, reach.leaf
        if isinstance(leaf, nn.LazyLinear):
            width = self._own_width(name) or 32
        else:
            width = leaf.in1_features if isinstance(leaf, nn.Bilinear) else leaf.in_features
        flat, rows = f"{BATCH}, {width}", f"{BATCH}, {{T}}, {width}"
        found = [flat, rows]
        if self.is_graph:
            found = [f"{NODES}, {width}", f"{BATCH}, 16, {width}", flat]
        if _POINTS.fullmatch(name) or (width == 3 and name in ("x", "p")):
            found.insert(0, f"{BATCH}, 1024, {width}")
        if reach.moved:
            many = self._count(("in_channels", "channels", "enc_in", "n_vars", "num_features",
                                "n_features", "num_nodes", "n_series", "c_in"), 8)  # fmt: skip
            found.insert(0, f"{BATCH}, {width}, {many}")
        maps = []
        for channels in (3, 1, self._count(("in_channels", "channels", "in_chans"), 3)):
            side = math.isqrt(width // channels) if width % channels == 0 else 0
            if side > 7 and side * side * channels == width:
                maps.append(f"{BATCH}, {channels}, {side}, {side}")
        patched = (
            f"{BATCH}, {self._count(('in_channels', 'channels', 'in_chans'), 3)}, {{H}}, {{W}}"
        )
        if reach.reshaped:
            return [*maps, *found, patched] if not _TOKENS.fullmatch(name) else [*found, *maps]
        return [*found, *maps, patched]

    def _by_axes(self, reach: Reach) -> str | None:
        """The shape that an einops pattern spells out."""
        words = []
        image = any("h" in axis.split() for axis in reach.axes)
        for index, axis in enumerate(reach.axes):
            names = axis.split()
            if index == 0 and ("b" in names or len(reach.axes) > 2):
                words.append(BATCH)
            elif "c" in names or "ch" in names or "channels" in names:
                words.append(str(self._count(("in_channels", "channels", "in_chans"), 3)))
            elif names and names[0] in ("h", "height", "x"):
                words.append("{H}")
            elif names and names[0] in ("w", "width", "y"):
                words.append("{W}")
            elif image and names and names[0] in ("f", "t", "frames", "d"):
                words.append(str(self._count(("num_frames", "frames", "n_frames"), 8)))
            elif names and names[0] in ("n", "l", "s", "t", "seq", "i", "j"):
                words.append("{T}")
            elif names and names[0] in ("d", "e", "dim"):
                words.append(str(self._count(("dim", "embed_dim", "d_model", "hidden_dim"), 64)))
            else:
                return None
        return f"torch.randn({', '.join(words)})"

    def _by_known(self, name: str, reach: Reach) -> list[str]:
        """Without a layer: what the name and the constructor's values suggest."""
        channels = self._count(("in_channels", "in_chans", "channels", "in_ch", "input_channels",
                                "img_channels", "nc", "n_channels", "num_channels"), 3)  # fmt: skip
        image = f"torch.randn({BATCH}, {channels}, {{H}}, {{W}})"
        width = self._own_width(name) or self._count(
            ("dim", "d_model", "embed_dim", "hidden_dim", "hidden_size", "n_embd", "in_features",
             "input_dim", "in_dim", "latent_dim", "input_size", "features", "in_channels",
             "embedding_dim"), 0)  # fmt: skip
        wide = [f"torch.randn({BATCH}, {{T}}, {width})", f"torch.randn({BATCH}, {width})"]
        found = [image]
        if _TOKENS.fullmatch(name) and reach.leaf is None:
            vocab = self._count(("vocab_size", "num_tokens", "n_vocab", "vocabulary_size"), 100)
            found = [f"torch.randint({vocab}, ({BATCH}, {{T}}))", *(wide if width else [])]
        elif width and not _IMAGE.fullmatch(name):
            maps = f"torch.randn({BATCH}, {width}, {{H}}, {{W}})"
            found = (
                [*reversed(wide), image, maps] if _LATENT.fullmatch(name) else [*wide, maps, image]
            )
        if reach.leaf is None and not width:
            found += self._from_first_layer()
        return [*found, f"torch.randn({BATCH}, {{T}})", f"torch.randn({BATCH}, {{T}}, 64)"]

    def _from_first_layer(self) -> list[str]:
        for module in self.model.modules():
            if isinstance(module, self.flow.known):
                return self._by_layer("x", Reach(leaf=module))
        return []

    def _own_width(self, name: str) -> int | None:
        """The width that the constructor was given for an argument of this name."""
        stem = name.rstrip("s")
        long = _LONG_NAMES.get(name, stem)
        for base in dict.fromkeys((name, stem, long)):
            for pattern in ("{}_dim", "{}_size", "{}_features", "{}_channels", "dim_{}", "d_{}",
                            "num_{}s", "n_{}s", "num_{}", "n_{}", "{}_in", "num_{}es"):  # fmt: skip
                value = self.known.get(pattern.format(base))
                if isinstance(value, int) and _is_size(value):
                    return value
        return None

    def _count(self, names: tuple[str, ...], otherwise: int) -> int:
        for name in names:
            value = self.known.get(name)
            if isinstance(value, int) and _is_size(value):
                return value
        return otherwise


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


def _without_none(kind: Any) -> Any:
    arguments = [a for a in typing.get_args(kind) if a is not type(None)]
    name = getattr(typing.get_origin(kind), "__name__", str(typing.get_origin(kind)))
    if name in ("Union", "UnionType", "typing.Union", "Optional") and arguments:
        return arguments[0]
    return None if kind is inspect.Parameter.empty else kind


def _rank(text: str) -> int:
    """Number of sizes in ``torch.randn(...)`` or ``torch.randint(n, (...))``."""
    found = re.search(r"\(\d+, \((.*)\)\)$|\((.*)\)$", text)
    inner = "" if found is None else (found[1] if found[1] is not None else found[2])
    return len([part for part in inner.split(",") if part.strip()])


def _at(texts: list[str], index: int) -> str:
    return texts[min(index, len(texts) - 1)]


def _is_size(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _is_pair(value: object) -> bool:
    return isinstance(value, (tuple, list)) and len(value) >= 2 and all(map(_is_size, value))
