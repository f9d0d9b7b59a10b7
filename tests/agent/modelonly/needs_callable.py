# expect: no (score_fn: a function)
from typing import Callable

import torch
from torch import nn


class EnergyModel(nn.Module):
    def __init__(self, dim: int, score_fn: Callable[[torch.Tensor], torch.Tensor]):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(dim))
        self.score_fn = score_fn

    def forward(self, x):
        return self.score_fn(self.scale * x)
