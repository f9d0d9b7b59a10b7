"""Groups of operators that one operator, or none, could stand for. Times in ms per step."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope.attribution.model import LineKey


@dataclass(frozen=True, slots=True)
class Attention:
    """Product, softmax, product. ``products_ms`` is what any implementation has to compute.

    ``between_ms`` is all in between, forward and backward: scaling, mask, softmax, dropout.
    ``line`` is the softmax's; ``own`` False where a module of torch's runs it in one call.
    """

    line: LineKey
    between_ms: float
    products_ms: float
    per_step: float
    own: bool
    shape: str


@dataclass(frozen=True, slots=True)
class MathAttention:
    """``scaled_dot_product_attention`` that ran its fall-back of plain operators."""

    line: LineKey
    ms: float
    per_step: float
    shapes: str
    dtypes: str
    dropout: bool


@dataclass(frozen=True, slots=True)
class Norm:
    """A normalisation written out in ``operators`` operators. ``kind`` is "layer" or "rms"."""

    line: LineKey
    last_line: int
    kind: str
    ms: float
    operators: int


@dataclass(frozen=True, slots=True)
class Chain:
    """Elementwise operators in a row on large tensors of one size, forward and backward."""

    line: LineKey
    function: str
    operators: int
    ms: float
    elements: int


@dataclass(frozen=True, slots=True)
class Copies:
    """Copies that ``operator`` makes of its inputs because of how they lie in memory."""

    line: LineKey
    operator: str
    ms: float
    per_step: float


@dataclass(frozen=True, slots=True)
class Factory:
    """Tensors made anew in each forward pass by ``name`` (``zeros``, ``arange``, ...)."""

    line: LineKey
    name: str
    ms: float
    per_step: float


@dataclass(frozen=True, slots=True)
class BiasedConvolution:
    """A convolution with a bias whose result goes straight into a batch norm.

    ``line`` is the convolution's in ``forward``; ``channels`` its outputs and ``inputs`` its
    inputs. ``bias_ms`` is what adding the bias takes where that is an operator of its own.
    """

    line: LineKey
    channels: int
    inputs: int
    kernel: int
    ms: float
    bias_ms: float | None


@dataclass(frozen=True, slots=True)
class Patterns:
    """``convolutions_ms``, ``dropout_ms`` and ``norms_ms`` are all such operators, both ways.

    ``anomaly_ms`` is what anomaly mode's own checks take, ``anomaly_checks`` how many there are.
    ``clip`` is per line the norms of single gradients per step and their time.
    ``half_convolutions_ms`` are those in half precision.
    """

    attention: tuple[Attention, ...] = ()
    math_attention: tuple[MathAttention, ...] = ()
    norms: tuple[Norm, ...] = ()
    chains: tuple[Chain, ...] = ()
    copies: tuple[Copies, ...] = ()
    factories: tuple[Factory, ...] = ()
    biased: tuple[BiasedConvolution, ...] = ()
    clip: tuple[Factory, ...] = ()
    anomaly_ms: float = 0.0
    anomaly_checks: float = 0.0
    convolutions_ms: float = 0.0
    half_convolutions_ms: float = 0.0
    convolutions_line: LineKey | None = None
    dropout_ms: float = 0.0
    batch_norms_ms: float = 0.0
