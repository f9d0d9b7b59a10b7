"""A small character model: ``while True``, batches drawn at random, a loss estimate now and then."""
# steps: optimizer
import math
from time import time_ns

import torch
from torch import nn

BLOCK, WIDTH, HEADS = 8, 16, 2
text = "".join(chr(97 + (n * n) % 26) for n in range(600))
letters = sorted(set(text))
data = torch.tensor([letters.index(c) for c in text])


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 32), nn.GELU(), nn.Linear(32, WIDTH))

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(b, t, 3, HEADS, c // HEADS).permute(2, 0, 3, 1, 4)
        x = x + self.out(
            nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            .transpose(1, 2)
            .reshape(b, t, c)
        )
        return x + self.mlp(self.norm2(x))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.places = nn.Embedding(len(letters), WIDTH), nn.Embedding(BLOCK, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(2))
        self.head = nn.Linear(WIDTH, len(letters))

    def forward(self, x, y=None):
        hidden = self.tokens(x) + self.places.weight[: x.shape[1]]
        for block in self.blocks:
            hidden = block(hidden)
        logits = self.head(hidden)
        return logits, None if y is None else nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten())


def get_batch():
    starts = torch.randint(len(data) - BLOCK - 1, (8,)).tolist()
    return (
        torch.stack([data[s : s + BLOCK] for s in starts]),
        torch.stack([data[s + 1 : s + BLOCK + 1] for s in starts]),
    )


@torch.no_grad()
def estimate(model):
    model.eval()
    losses = [model(*get_batch())[1].item() for _ in range(4)]
    model.train()
    return sum(losses) / 4


model = Model()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
iteration = 0
x, y = get_batch()
while True:  # step loop
    rate = 1e-3 * 0.5 * (1 + math.cos(math.pi * min(iteration, 300) / 300))
    for group in optimizer.param_groups:
        group["lr"] = rate
    if iteration % 50 == 0:
        print(iteration, estimate(model))
    print("pass", time_ns(), flush=True)
    logits, loss = model(x, y)
    x, y = get_batch()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    iteration += 1
    if iteration > 300:
        break
