"""Convolutional networks: the variant is the first argument."""

import sys

import torch
import torch.nn.functional as F
from torch import nn

VARIANT = sys.argv[1]


def norm(channels):
    return nn.GroupNorm(4, channels) if VARIANT == "group" else nn.BatchNorm2d(channels)


class Residual(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.first = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norm = norm(channels)
        self.second = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x):
        return F.relu(x + self.second(F.relu(self.norm(self.first(x)))))


model = nn.Sequential(
    nn.Conv2d(3, 32, 3, padding=1),
    nn.ReLU(),
    Residual(32),
    Residual(32),
    nn.AdaptiveAvgPool2d(1),
    nn.Flatten(),
    nn.Linear(32, 10),
)
if VARIANT == "channels-last":
    model = model.to(memory_format=torch.channels_last)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
for _ in range(60):
    images, labels = torch.randn(8, 3, 24, 24), torch.randint(10, (8,))
    if VARIANT == "channels-last":
        images = images.to(memory_format=torch.channels_last)
    loss = F.cross_entropy(model(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
