"""One tensor that forward takes: shapes for it, as Python text, the likeliest first.

In a text ``{H}`` and ``{W}`` stand for an image's sides, ``{T}`` for the length of a sequence and
``{L}`` for the number of samples of a signal; ``inputs`` fills them in, the same for all arguments.
"""

from __future__ import annotations

import math
import re
from typing import Any

from .flow import Flow
from .reach import Reach
from .usage import BATCH

NODES, EDGES = 256, 1024  # of a graph: it is one sample, however large

_MASK = re.compile(r".*mask.*")
_TIME = re.compile(r"(t|time|times|timesteps?|time_steps?|ts|sigmas?|noise_level|noise_labels|"
                   r"diffusion_step|steps?)")  # fmt: skip
_LABEL = re.compile(r"(y|labels?|class(es|_id|_ids|_label|_labels)?|targets?|c_label|cls|"
                    r"speaker(_ids?)?|genre|domain)")  # fmt: skip
_LENGTHS_NAME = re.compile(r"(x_|src_|seq_|input_|text_|sequence_)?(lengths?|lens?|sizes)")
ADJACENCY = re.compile(r"(a|adj|adjacency|adj_matrix|adjacency_matrix|adj_t|a_hat|laplacian|graph|"
                        r"lap|support)")  # fmt: skip
EDGE_LIST = re.compile(r"(edge_index|edges|edge_idx|edge_list)")
_EDGE_VALUES = re.compile(r"(edge_attr|edge_attrs|edge_feats?|edge_features?|edge_weights?|e|"
                          r"edge_types?)")  # fmt: skip
STATE = re.compile(r"(h|hx|hidden|hiddens|hidden_states?|state|states|h0|h_0|prev_state|hc|memory_"
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


class Shapes:
    """Shapes for one model. ``known`` are the values its constructor was given."""

    def __init__(self, torch: Any, model: Any, known: dict[str, Any], *, is_graph: bool) -> None:
        self.torch = torch
        self.model = model
        self.known = known
        self.is_graph = is_graph
        self.flow = Flow(torch)

    def tensor(self, name: str, reach: Reach) -> list[str]:
        """Texts for an argument of that name, which reaches what ``reach`` says."""
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
        if EDGE_LIST.fullmatch(name):
            return [
                f"torch.randint({NODES}, (2, {EDGES}))",
                f"torch.randint({NODES}, ({EDGES}, 2))",
            ]
        if self.is_graph and _EDGE_VALUES.fullmatch(name):
            linear = isinstance(reach.leaf, self.torch.nn.Linear)
            wide = [f"torch.randn({EDGES}, {reach.leaf.in_features})"] if linear else []
            return [*wide, f"torch.rand({EDGES})"]
        if ADJACENCY.fullmatch(name):
            return [f"torch.rand({NODES}, {NODES})", f"torch.rand({BATCH}, 16, 16)"]
        if self.is_graph and name in ("batch", "batch_index", "graph_ids"):
            return [f"torch.zeros({NODES}, dtype=torch.long)"]
        if STATE.fullmatch(name):
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
            if listed and all(map(is_size, value)) and count in (value[0], sum(value)):
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
                if isinstance(value, int) and is_size(value):
                    return value
        return None

    def _count(self, names: tuple[str, ...], otherwise: int) -> int:
        for name in names:
            value = self.known.get(name)
            if isinstance(value, int) and is_size(value):
                return value
        return otherwise


def _rank(text: str) -> int:
    """Number of sizes in ``torch.randn(...)`` or ``torch.randint(n, (...))``."""
    found = re.search(r"\(\d+, \((.*)\)\)$|\((.*)\)$", text)
    inner = "" if found is None else (found[1] if found[1] is not None else found[2])
    return len([part for part in inner.split(",") if part.strip()])


def is_size(value: object) -> bool:
    """Whether it is a whole number from 1."""
    return isinstance(value, int) and not isinstance(value, bool) and value > 0
