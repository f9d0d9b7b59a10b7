"""A variational autoencoder, trained in ``train(epoch)`` and sampled from after each epoch."""
# steps: optimizer
from time import time_ns

import torch
from torch import nn
from torch.nn import functional as F


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode = nn.Linear(20, 16)
        self.mean, self.spread = nn.Linear(16, 3), nn.Linear(16, 3)
        self.decode = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 20), nn.Sigmoid())

    def forward(self, x):
        hidden = F.relu(self.encode(x))
        mean, spread = self.mean(hidden), self.spread(hidden)
        z = mean + torch.randn_like(mean) * (spread / 2).exp()
        return self.decode(z), mean, spread


model = VAE()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
data = torch.rand(120, 20)


def train(epoch):
    model.train()
    total = 0
    for x in data.split(10):  # step loop
        print("pass", time_ns(), flush=True)
        optimizer.zero_grad()
        again, mean, spread = model(x)
        loss = F.binary_cross_entropy(again, x, reduction="sum")
        loss = loss - 0.5 * (1 + spread - mean.square() - spread.exp()).sum()
        loss.backward()
        total += loss.item()
        optimizer.step()
    print(epoch, total / len(data))


for epoch in range(1, 31):
    train(epoch)
    with torch.no_grad():
        model.decode(torch.randn(8, 3))
