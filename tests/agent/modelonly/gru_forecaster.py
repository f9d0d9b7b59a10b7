# expect: found GRUForecaster
import torch
from torch import nn


class GRUForecaster(nn.Module):
    def __init__(self, n_features: int, hidden_size: int, num_layers: int, horizon: int):
        super().__init__()
        self.gru = nn.GRU(n_features, hidden_size, num_layers, batch_first=True)
        self.head = nn.Linear(hidden_size, horizon)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        _, h = self.gru(x)
        return self.head(h[-1])
