"""FLOPs and bytes against counts done by hand."""

from __future__ import annotations

import pytest

from stepscope.attribution.flops import convolution_flops, flops_of, is_matmul
from stepscope.attribution.inputs import Inputs, bytes_of, parse_inputs

ATTENTION = "aten::_scaled_dot_product_flash_attention_for_cpu"


def given(*shapes: list[int], values: tuple[object, ...] = (), dtype: str = "float") -> Inputs:
    return Inputs(shapes, (dtype,) * len(shapes), values)


@pytest.mark.parametrize(
    ("name", "inputs", "flops"),
    [
        # 4x5 results of 3 multiply-adds each.
        ("aten::mm", given([4, 3], [3, 5]), 2 * 4 * 5 * 3),
        ("aten::addmm", given([5], [4, 3], [3, 5], [], []), 2 * 4 * 5 * 3),
        ("aten::bmm", given([7, 4, 3], [7, 3, 5]), 7 * 2 * 4 * 5 * 3),
        ("aten::baddbmm", given([7, 4, 5], [7, 4, 3], [7, 3, 5]), 7 * 2 * 4 * 5 * 3),
        # 2x3 heads: 10 queries x 20 keys of width 8, then 20 values of width 16 for each.
        (
            ATTENTION,
            given([2, 3, 10, 8], [2, 3, 20, 8], [2, 3, 20, 16]),
            6 * (2 * 10 * 20 * 8 + 2 * 10 * 20 * 16),
        ),
        (
            f"{ATTENTION}_backward",
            given([2, 3, 10, 8], [2, 3, 10, 8], [2, 3, 20, 8], [2, 3, 20, 8]),
            6 * 5 * (2 * 10 * 20 * 8),
        ),
        ("aten::relu", given([4, 3]), 0),
        ("aten::mm", Inputs(), 0),
        ("aten::mm", given([4, 3]), 0),
    ],
)
def test_products(name: str, inputs: Inputs, flops: float) -> None:
    assert flops_of(name, inputs) == flops


@pytest.mark.parametrize(
    ("source", "weight", "values", "flops"),
    [
        # 2 images, 8 channels of 16x16 out, each value from 4 channels of 3x3.
        (
            [2, 4, 16, 16],
            [8, 4, 3, 3],
            ([1, 1], [1, 1], [1, 1], False, [0, 0], 1),
            2 * (2 * 8 * 16 * 16) * (4 * 3 * 3),
        ),
        # Stride 2 halves both sides.
        (
            [2, 4, 16, 16],
            [8, 4, 3, 3],
            ([2, 2], [1, 1], [1, 1], False, [0, 0], 1),
            2 * (2 * 8 * 8 * 8) * (4 * 3 * 3),
        ),
        # Two groups: each value from 2 channels only.
        (
            [2, 4, 16, 16],
            [8, 2, 3, 3],
            ([1, 1], [1, 1], [1, 1], False, [0, 0], 2),
            2 * (2 * 8 * 16 * 16) * (2 * 3 * 3),
        ),
        # Depthwise, without padding: 14x14 values from one channel each.
        (
            [1, 6, 16, 16],
            [6, 1, 3, 3],
            ([1, 1], [0, 0], [1, 1], False, [0, 0], 6),
            2 * (6 * 14 * 14) * 9,
        ),
        # Dilation 2 makes the kernel 5 wide: 12 values.
        ([1, 1, 16], [1, 1, 3], ([1], [0], [2], False, [0], 1), 2 * 12 * 3),
        # Three dimensions.
        (
            [1, 1, 5, 5, 5],
            [2, 1, 3, 3, 3],
            ([1, 1, 1], [0, 0, 0], [1, 1, 1], False, [0, 0, 0], 1),
            2 * (2 * 3 * 3 * 3) * 27,
        ),
        # Transposed: each of 4x9 input values times 8 channels of 3.
        ([1, 4, 9], [4, 8, 3], ([1], [0], [1], True, [0], 1), 2 * (4 * 9) * (8 * 3)),
    ],
)
def test_convolutions(
    source: list[int], weight: list[int], values: tuple[object, ...], flops: float
) -> None:
    inputs = given(source, weight, values=(None, None, None, *values))
    assert convolution_flops(inputs) == flops


@pytest.mark.parametrize(("mask", "products"), [([True, True, True], 2), ([False, True, True], 1)])
def test_a_convolutions_backward_makes_one_product_per_gradient(
    mask: list[bool], products: int
) -> None:
    values = (None, None, None, [8], [1, 1], [1, 1], [1, 1], False, [0, 0], 2, mask)
    inputs = given([2, 8, 16, 16], [2, 4, 16, 16], [8, 2, 3, 3], values=values)
    one = 2 * (2 * 8 * 16 * 16) * (2 * 3 * 3)
    assert flops_of("aten::convolution_backward", inputs) == products * one


def test_a_transposed_convolutions_backward_counts_its_inputs() -> None:
    values = (None, None, None, [8], [1], [0], [1], True, [0], 1, [True, True, False])
    inputs = given([1, 8, 11], [1, 4, 9], [4, 8, 3], values=values)
    assert flops_of("aten::convolution_backward", inputs) == 2 * 2 * (4 * 9) * (8 * 3)


def test_a_convolution_whose_arguments_were_not_recorded_has_no_flops() -> None:
    assert convolution_flops(given([2, 4, 16, 16], [8, 4, 3, 3])) == 0
    assert flops_of("aten::convolution_backward", given([2, 8, 4], [2, 4, 4], [8, 4, 3])) == 0


@pytest.mark.parametrize(
    ("name", "itself"),
    [
        ("aten::mm", True),
        ("aten::cudnn_convolution", True),
        ("aten::mkldnn_convolution", True),
        ("aten::slow_conv3d_forward", True),
        ("aten::convolution_backward", True),
        ("aten::conv2d", False),
        ("aten::conv_transpose1d", False),
        ("aten::convolution", False),
        ("aten::_convolution", False),
        ("aten::linear", False),
    ],
)
def test_dispatchers_are_no_matrix_products_themselves(name: str, itself: bool) -> None:
    assert is_matmul(name) is itself


# -- inputs and bytes -----------------------------------------------------------------------------


def test_inputs_are_read_as_the_agent_writes_them() -> None:
    plain = parse_inputs("[[32, 64], [], [64]]|float,Scalar,c10::Half")
    assert plain == Inputs(([32, 64], [], [64]), ("float", "Scalar", "c10::Half"))
    assert plain.describe() == ("32x64, 64", "float32, float16")
    assert plain.half
    more = parse_inputs("[[2, 4, 9], []]|float,ScalarList|[None, [1]]")
    assert more.values == (None, [1])
    assert not more.half


@pytest.mark.parametrize("text", ["", "|", "[[1, 2|float", "__import__('os')|float", "7|float"])
def test_unreadable_inputs_give_nothing(text: str) -> None:
    assert parse_inputs(text).shapes == ()
    assert parse_inputs(text).describe() == ("", "")


@pytest.mark.parametrize(
    ("kind", "moved"),
    [
        ("new", 2 * 32 * 64 * 4 + 32 * 64 * 4),  # reads two, fills what it allocated
        ("inplace", 2 * 32 * 64 * 4 + 32 * 64 * 4),  # reads two, writes the first again
    ],
)
def test_bytes_moved(kind: str, moved: int) -> None:
    allocated = 32 * 64 * 4 if kind == "new" else 0
    assert bytes_of(kind, given([32, 64], [32, 64]), allocated) == moved


def test_a_lists_of_tensors_and_unknown_types_move_nothing_that_we_know_of() -> None:
    inputs = Inputs(([[4, 4], [4]], [8], []), ("TensorList", "int", "Scalar"))
    assert bytes_of("new", inputs, 0) == 8 * 4
