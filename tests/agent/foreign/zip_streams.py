"""Two loaders read side by side: labelled and unlabelled batches in one pass."""
# steps: optimizer
from time import time_ns

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

labelled = DataLoader(TensorDataset(torch.rand(40, 10), torch.randint(0, 4, (40,))), 8, shuffle=True)
unlabelled = DataLoader(TensorDataset(torch.rand(80, 10)), 16, shuffle=True)
model = nn.Sequential(nn.Linear(10, 24), nn.ReLU(), nn.Linear(24, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.03, momentum=0.9)

for epoch in range(60):
    for (x, y), (u,) in zip(labelled, unlabelled):  # step loop
        print("pass", time_ns(), flush=True)
        supervised = nn.functional.cross_entropy(model(x), y)
        with torch.no_grad():
            target = model(u).softmax(1)
        consistency = (model(u + 0.1 * torch.randn_like(u)).softmax(1) - target).square().mean()
        optimizer.zero_grad()
        (supervised + consistency).backward()
        optimizer.step()
