"""Data sets and embeddings: the variant is the first argument."""

import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader

VARIANT = sys.argv[1]


class Batches:
    """Whole batches by index: nothing is put together sample by sample."""

    def __init__(self, x, y, size):
        self.x, self.y, self.size = x, y, size

    def __len__(self):
        return len(self.x) // self.size

    def __getitem__(self, number):
        rows = slice(number * self.size, (number + 1) * self.size)
        return self.x[rows], self.y[rows]


rows, labels = torch.randn(16384, 128), torch.randint(10, (16384,))
first = nn.Linear(128, 512)
if VARIANT == "embeddings":
    rows, first = torch.randint(5000, (16384, 20)), nn.EmbeddingBag(5000, 512)
model = nn.Sequential(first, nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))
loader = DataLoader(Batches(rows, labels, 256), batch_size=None)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(3):
    for x, y in loader:
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
