import torch

from tested.shuffler import Shuffler


def test_shape():
    module = Shuffler(order=[2, 0, 1], width=6)
    x = torch.rand(5, 3, 6)
    assert module(x).shape == (5, 3, 6)
