# expect: found GNN
import torch
from torch import nn


class SageLayer(nn.Module):
    def __init__(self, in_dim: int, out_dim: int):
        super().__init__()
        self.own = nn.Linear(in_dim, out_dim)
        self.neighbours = nn.Linear(in_dim, out_dim)

    def forward(self, x, edge_index):
        src, dst = edge_index
        summed = torch.zeros_like(x).index_add_(0, dst, x[src])
        count = torch.zeros(x.size(0), 1, device=x.device).index_add_(
            0, dst, torch.ones(dst.numel(), 1, device=x.device)
        )
        return self.own(x) + self.neighbours(summed / count.clamp(min=1))


class GNN(nn.Module):
    def __init__(self, in_dim: int, hidden_dim: int, out_dim: int, num_layers: int = 2):
        super().__init__()
        dims = [in_dim] + [hidden_dim] * num_layers
        self.layers = nn.ModuleList(SageLayer(a, b) for a, b in zip(dims, dims[1:]))
        self.head = nn.Linear(hidden_dim, out_dim)

    def forward(self, x, edge_index):
        for layer in self.layers:
            x = layer(x, edge_index).relu()
        return self.head(x)
