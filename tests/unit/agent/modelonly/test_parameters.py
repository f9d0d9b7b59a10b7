"""What names and bodies say about the parameters of a constructor."""

from __future__ import annotations

import ast

import pytest

from stepscope.agent.modelonly.names import VARIANTS, lists_for, values_for
from stepscope.agent.modelonly.parameters import Use, uses_of


def use(body: str, parameter: str = "p", forward: str = "pass") -> Use:
    text = f"class Net:\n    def __init__(self, p, q=1):\n        {body}\n"
    text += f"    def forward(self, x):\n        {forward}\n"
    (node,) = ast.parse(text).body
    assert isinstance(node, ast.ClassDef)
    return uses_of(node, parameter)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("in_channels", "3"),
        ("num_classes", "10"),
        ("n_head", "4"),
        ("vocab_size", "1000"),
        ("src_vocab_size", "1000"),
        ("d_model", "64"),
        ("hidden_dim", "64"),
        ("image_size", "64"),
        ("patch_size", "8"),
        ("num_layers", "2"),
        ("dropout", "0.1"),
        ("kernel_size", "3"),
        ("latent_dim", "32"),
        ("max_seq_len", "64"),
        ("mlp_ratio", "2"),
        ("use_bias", "False"),
    ],
)
def test_names_that_everybody_uses(name: str, value: str) -> None:
    assert values_for(name, 0)[0] == value


def test_a_name_that_says_nothing() -> None:
    assert values_for("zeta", 0) == ()


@pytest.mark.parametrize("variant", range(len(VARIANTS)))
def test_what_belongs_together_fits(variant: int) -> None:
    """Widths divide by heads and images by patches, and patches' maps by windows or are small."""

    def number(name: str) -> int:
        return int(values_for(name, variant)[0])

    assert number("dim") % number("heads") == 0
    assert number("image_size") % number("patch_size") == 0


def test_lists_by_name() -> None:
    assert lists_for("depths")[0] == "[1, 1, 1, 1]"
    assert lists_for("hidden_sizes")[0] == "[64, 64]"
    assert lists_for("cardinalities")[0] == "[10, 20, 30]"


def test_a_layer_says_what_its_argument_is() -> None:
    assert use("self.c = nn.Conv2d(p, 8, 3)").roles == ["in_channels"]
    assert use("self.c = nn.Linear(4, p)").roles == ["hidden_dim"]
    assert use("self.c = nn.LSTM(4, 8, num_layers=p)").roles == ["num_layers"]
    assert use("self.c = [f() for _ in range(p)]").roles == ["depth"]


def test_a_called_parameter_is_a_function_or_a_module() -> None:
    assert use("self.c = p(3)").called
    assert use("self.inner = p", forward="return self.inner(x)").called
    assert not use("self.inner = p", forward="return x + self.inner").called


@pytest.mark.parametrize(
    "body",
    ["for w in p: pass", "self.n = len(p)", "a, b, c = p", "self.x = p[0]", "f(*p)",
     "self.x = [w for w in p]", "g(zip(p, p))"],
)  # fmt: skip
def test_lists_are_told_by_their_use(body: str) -> None:
    assert use(body).is_list
    assert not use("self.x = p + 1").is_list


def test_configurations_and_mappings() -> None:
    found = use("self.a = nn.Linear(p.width, p.depth)\n        self.b = p.width")
    assert found.attributes == ["width", "depth"]
    mapping = use("self.a = p['width']\n        self.b = p.get('x')")
    assert mapping.is_dict
    assert mapping.keys == ["width"]


def test_choices_are_what_it_is_compared_with() -> None:
    assert use("if p == 'mean': pass\n        elif p == 'max': pass").choices == ["'mean'", "'max'"]
    assert use("if p in ('a', 'b'): pass").choices == ["'a'", "'b'"]
    assert use("if p is Mode.FAST: pass").choices == ["Mode.FAST"]


def test_handed_on_to_another_class() -> None:
    found = use("self.a = Encoder(3, p)\n        self.b = Decoder(width=p)")
    assert found.passed == [("Encoder", 1), ("Decoder", "width")]
