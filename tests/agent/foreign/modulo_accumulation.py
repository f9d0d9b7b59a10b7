"""The optimizer steps at every fourth batch, counted with a modulo; a rest is left at each epoch's end."""
# steps: optimizer
from time import time_ns

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

ACCUMULATE = 4
loader = DataLoader(TensorDataset(torch.rand(72, 10), torch.rand(72, 1)), batch_size=8)
model = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)

for epoch in range(60):
    optimizer.zero_grad()
    for i, (x, y) in enumerate(loader):  # step loop
        loss = nn.functional.mse_loss(model(x), y) / ACCUMULATE
        loss.backward()
        if (i + 1) % ACCUMULATE == 0:
            print("pass", time_ns(), flush=True)
            optimizer.step()
            optimizer.zero_grad()
