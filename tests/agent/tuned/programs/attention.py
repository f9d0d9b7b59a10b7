"""Transformers: the variant is the first argument."""

import sys

import torch
import torch.nn.functional as F
from torch import nn

VARIANT = sys.argv[1]
WIDTH, HEADS, LENGTH = 96, 4, 48


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        q, k, v = self.qkv(x).unflatten(2, (3, HEADS, -1)).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=VARIANT == "causal")
        return self.out(y.transpose(1, 2).flatten(2))


class Multihead(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)

    def forward(self, x):
        return self.attention(x, x, x, need_weights=False)[0]


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(2))
        self.attention = Multihead() if VARIANT == "multihead" else Attention()
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        x = x + self.attention(self.norms[0](x))
        return x + self.down(F.gelu(self.up(self.norms[1](x))))


model = nn.Sequential(nn.Embedding(100, WIDTH), Block(), Block(), nn.Linear(WIDTH, 100))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
text = torch.randint(100, (50_000,))
offsets = torch.arange(LENGTH + 1)
for _ in range(60):
    window = text[torch.randint(len(text) - LENGTH - 1, (8, 1)) + offsets]
    logits = model(window[:, :-1])
    loss = F.cross_entropy(logits.flatten(0, 1), window[:, 1:].flatten())
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
