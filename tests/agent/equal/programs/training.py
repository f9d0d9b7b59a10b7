"""Trains for a few steps; a mark names the fixes that change its line."""

import gc

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1),  # fix: conv-bias
            nn.BatchNorm2d(8),
            nn.ReLU(),
        )
        self.head = nn.Linear(8, 4)

    def forward(self, images):
        copied = images.clone()  # fix: redundant-clone
        features = self.features(torch.tanh(copied))
        return self.head(features.mean((2, 3)))


def waves(*shape):
    """Numbers that no generator draws, so that they stay when a parameter goes."""
    return torch.arange(torch.Size(shape).numel()).mul(0.7).sin().reshape(shape)


def main():
    device = "cpu"
    images = waves(8, 3, 6, 6)
    labels = torch.arange(8, dtype=torch.int32) % 4
    model = Net().to(device)  # fix: channels-last
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(waves(*parameter.shape))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses, total = [], 0.0
    for step in range(4):
        targets = labels.type(torch.LongTensor).to(device)  # fix: type-round-trip
        outputs = model(images)  # fix: autocast gc-pauses thread-count
        loss = nn.functional.cross_entropy(outputs, targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
        total += loss.item()  # fix: sync-in-step
        print("step", step)  # fix: log-every-step
        if step == 0:  # one is enough here, and slow
            gc.collect()  # fix: gc-in-step
    return [*losses, float(total)]
