"""Names of operators and kernels in the words of people."""

from __future__ import annotations

import re

_SIGNATURE = re.compile(r"^(?:void |auto )?((?:[\w$]+::|\(anonymous namespace\)::)*)([\w$]+)[<(]")
_FUSED = re.compile(r"^triton_(?:poi|red|per|tem|for)_fused_(.+)_\d+$")
_LONGEST_NAME = 60


def describe_operator(name: str) -> str:
    """An operator's or kernel's name for people.

    A kernel's C++ signature is left out; one that torch.compile made is named by what it fuses.
    """
    fused = _FUSED.match(name)
    if fused is not None:
        return f"{name} (fuses {', '.join(fused_operators(fused[1]))})"
    if not name.startswith(("Memcpy", "Memset", "aten::", "autograd::")):
        signature = _SIGNATURE.match(name)
        if signature is not None:
            name = signature[2]
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"


_LONG_WORDS = (
    "native_layer_norm_backward", "native_layer_norm", "native_batch_norm_backward",
    "native_batch_norm", "_native_batch_norm_legit", "native_group_norm", "native_dropout",
    "_log_softmax_backward_data", "_softmax_backward_data", "_log_softmax", "_softmax",
    "nll_loss_forward", "nll_loss_backward", "convolution_backward", "threshold_backward",
    "embedding_dense_backward", "_unsafe_view", "_unsafe_index", "_to_copy", "constant_pad_nd",
    "max_pool2d_with_indices", "index_put", "index_select", "slice_backward", "select_backward",
    "scalar_tensor", "masked_fill", "scatter_add", "addcmul", "addcdiv", "zeros_like", "ones_like",
    "full_like", "new_zeros", "logical_and", "logical_not", "bitwise_and", "bitwise_not",
)  # fmt: skip


def fused_operators(text: str) -> list[str]:
    """The operators in the name of a generated kernel, which joins them with underscores.

    A few operators have underscores of their own; the longest that fits is taken first.
    """
    found = []
    rest = text
    while rest:
        word = next(
            (word for word in _LONG_WORDS if rest == word or rest.startswith(f"{word}_")), None
        )
        if word is None:
            end = rest.find("_", 1)
            word = rest if end < 0 else rest[:end]
        found.append(word)
        rest = rest[len(word) + 1 :]
    return found
