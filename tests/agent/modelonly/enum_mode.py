# expect: found Pooler
from enum import Enum

import torch
from torch import nn


class Pooling(Enum):
    MEAN = "mean"
    MAX = "max"


class Pooler(nn.Module):
    def __init__(self, vocab_size: int, dim: int, pooling: Pooling):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, dim)
        self.pooling = pooling
        self.out = nn.Linear(dim, 2)

    def forward(self, token_ids: torch.Tensor) -> torch.Tensor:
        x = self.embed(token_ids)
        x = x.mean(1) if self.pooling is Pooling.MEAN else x.amax(1)
        return self.out(x)
