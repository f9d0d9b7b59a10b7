# expect: found GatedLinear
import torch
from torch import nn


class GatedLinear(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.value = nn.Linear(in_features, out_features)
        self.gate = nn.Linear(in_features, out_features)

    def forward(self, x):
        return self.value(x) * torch.sigmoid(self.gate(x))
