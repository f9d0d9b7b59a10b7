"""Trains on two epochs of two loaders; a mark names the fixes that change its line."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def loaders(data):
    drawing = torch.Generator().manual_seed(1)
    alone = DataLoader(data, batch_size=4, shuffle=True, generator=drawing)  # fix: slow-input
    # In order: workers that stay draw one number less, so that later epochs are shuffled otherwise.
    helped = DataLoader(  # fix: too-many-workers persistent-workers short-prefetch
        data,
        batch_size=4,
        num_workers=2,
    )
    return alone, helped


def main():
    torch.manual_seed(0)
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for loader in loaders(TensorDataset(torch.randn(8, 3), torch.randn(8, 1))):
        for _ in range(2):
            for inputs, wanted in loader:
                loss = nn.functional.mse_loss(model(inputs), wanted)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                losses.append(float(loss.detach()))
    return losses
