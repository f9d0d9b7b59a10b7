"""Contrastive learning: two encoders, one loss over all pairs of the batch."""
# steps: backward
from time import time_ns

import torch
from torch import nn


class Tower(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(width, 24), nn.ReLU(), nn.Linear(24, 8))

    def forward(self, x):
        return nn.functional.normalize(self.layers(x), dim=-1)


image_tower, text_tower = Tower(20), Tower(12)
temperature = nn.Parameter(torch.tensor(2.0))
everything = [*image_tower.parameters(), *text_tower.parameters(), temperature]
for batch in range(300):  # step loop
    print("pass", time_ns(), flush=True)
    images, texts = torch.rand(16, 20), torch.rand(16, 12)
    similar = temperature.exp() * image_tower(images) @ text_tower(texts).T
    diagonal = torch.arange(16)
    loss = nn.functional.cross_entropy(similar, diagonal)
    loss = (loss + nn.functional.cross_entropy(similar.T, diagonal)) / 2
    loss.backward()
    with torch.no_grad():
        for p in everything:
            p -= 0.02 * p.grad
            p.grad = None
