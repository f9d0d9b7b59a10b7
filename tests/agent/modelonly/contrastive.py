# expect: found SimCLR
import torch
import torch.nn.functional as F
from torch import nn


class SmallEncoder(nn.Module):
    def __init__(self, out_dim):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(3, 32, 3, 2, 1), nn.ReLU(), nn.Conv2d(32, out_dim, 3, 2, 1), nn.AdaptiveAvgPool2d(1), nn.Flatten())

    def forward(self, x):
        return self.net(x)


class SimCLR(nn.Module):
    def __init__(self, feature_dim: int, projection_dim: int, temperature: float = 0.5):
        super().__init__()
        self.encoder = SmallEncoder(feature_dim)
        self.projector = nn.Sequential(nn.Linear(feature_dim, feature_dim), nn.ReLU(), nn.Linear(feature_dim, projection_dim))
        self.temperature = temperature

    def forward(self, x_i, x_j):
        z = F.normalize(torch.cat([self.projector(self.encoder(x_i)), self.projector(self.encoder(x_j))]), dim=1)
        logits = z @ z.t() / self.temperature
        mask = torch.eye(len(z), dtype=torch.bool, device=z.device)
        targets = torch.arange(len(z), device=z.device).roll(len(z) // 2)
        return F.cross_entropy(logits.masked_fill(mask, -1e9), targets)
