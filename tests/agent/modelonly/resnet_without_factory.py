# expect: found TinyResNet
from typing import List, Type

import torch
import torch.nn as nn


class Residual(nn.Module):
    def __init__(self, channels: int):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(channels, channels, 3, padding=1),
            nn.BatchNorm2d(channels),
            nn.ReLU(),
            nn.Conv2d(channels, channels, 3, padding=1),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x + self.body(x))


class TinyResNet(nn.Module):
    def __init__(self, widths: List[int], num_blocks: int, num_classes: int):
        super().__init__()
        stages = []
        previous = 3
        for width in widths:
            stages.append(nn.Conv2d(previous, width, 3, stride=2, padding=1))
            stages.extend(Residual(width) for _ in range(num_blocks))
            previous = width
        self.stages = nn.Sequential(*stages)
        self.head = nn.Linear(previous, num_classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.stages(x).mean((2, 3)))
