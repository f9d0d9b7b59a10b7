# expect: found RotaryEncoder
from functools import lru_cache

import torch
from torch import nn


@lru_cache(maxsize=None)
def angles(length, dim):
    return torch.outer(torch.arange(length).float(), 1 / 10000 ** (torch.arange(0, dim, 2) / dim))


class RotaryEncoder(nn.Module):
    def __init__(self, vocab_size, dim):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, dim)
        self.out = nn.Linear(dim, vocab_size)

    def forward(self, tokens):
        x = self.embed(tokens)
        a = angles(x.size(1), x.size(2))
        even, odd = x[..., 0::2], x[..., 1::2]
        x = torch.cat([even * a.cos() - odd * a.sin(), even * a.sin() + odd * a.cos()], dim=-1)
        return self.out(x)
