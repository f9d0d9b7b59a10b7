# expect: found NormNet
import torch
from torch import nn


class NormNet(nn.Module):
    def __init__(self, channels, norm):
        super().__init__()
        self.conv = nn.Conv2d(3, channels, 3, padding=1)
        if norm == "batch":
            self.norm = nn.BatchNorm2d(channels)
        elif norm == "instance":
            self.norm = nn.InstanceNorm2d(channels)
        else:
            raise ValueError(f"unknown norm {norm}")
        self.out = nn.Conv2d(channels, 3, 1)

    def forward(self, x):
        return self.out(torch.relu(self.norm(self.conv(x))))
