"""A step of some 20 000 operator events: many small operators, as a deep and narrow network has."""

import torch
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(0)


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.inner = nn.Linear(width, width)
        self.outer = nn.Linear(width, width)

    def forward(self, x):
        h = self.norm(x)
        h = self.inner(h)
        h = torch.nn.functional.gelu(h)
        h = self.outer(h)
        gate = torch.sigmoid(h.mean(dim=-1, keepdim=True))
        return x + gate * h


class Deep(nn.Module):
    def __init__(self, depth, width):
        super().__init__()
        self.blocks = nn.ModuleList(Block(width) for _ in range(depth))

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x


model = Deep(160, 16)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
data = torch.randn(4, 16)
for _ in range(200):
    loss = model(data).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
