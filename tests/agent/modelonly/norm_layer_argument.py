# expect: found ConvNet
from functools import partial
from typing import Callable

import torch
from torch import nn


class ConvNet(nn.Module):
    def __init__(self, in_chans: int, width: int, norm_layer: Callable[..., nn.Module], act_layer: Callable[..., nn.Module] = nn.ReLU):
        super().__init__()
        self.conv1 = nn.Conv2d(in_chans, width, 3, padding=1)
        self.norm1 = norm_layer(width)
        self.act = act_layer()
        self.head = nn.Conv2d(width, 1, 1)

    def forward(self, x):
        return self.head(self.act(self.norm1(self.conv1(x))))
