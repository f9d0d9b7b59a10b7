# expect: found KAN
import torch
from torch import nn
import torch.nn.functional as F


class KANLinear(nn.Module):
    def __init__(self, in_features, out_features, grid_size=5, spline_order=3):
        super().__init__()
        self.base_weight = nn.Parameter(torch.randn(out_features, in_features) * 0.1)
        self.spline_weight = nn.Parameter(torch.randn(out_features, in_features, grid_size + spline_order) * 0.1)
        self.register_buffer("centres", torch.linspace(-1, 1, grid_size + spline_order))

    def forward(self, x):
        basis = torch.exp(-((x.unsqueeze(-1) - self.centres) ** 2) * 4)
        return F.linear(F.silu(x), self.base_weight) + torch.einsum("big,oig->bo", basis, self.spline_weight)


class KAN(nn.Module):
    def __init__(self, layers_hidden, grid_size=5):
        super().__init__()
        self.layers = nn.ModuleList(
            KANLinear(a, b, grid_size) for a, b in zip(layers_hidden, layers_hidden[1:])
        )

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x
