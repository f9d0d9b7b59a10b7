"""Convolutions whose bias a batch norm takes away again, and one whose bias counts."""

import torch
import torch.nn.functional as F
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 16, 3)  # expect-hint: conv-bias
        self.norm = nn.BatchNorm2d(16)
        self.body = nn.Sequential(
            nn.Conv2d(16, 16, 3),  # expect-hint: conv-bias
            nn.BatchNorm2d(16),
            nn.ReLU(),
            nn.Conv2d(16, 4, 3),
        )

    def forward(self, x):
        return self.body(F.relu(self.norm(self.first(x))))


torch.manual_seed(0)
model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
for _ in range(60):
    loss = model(torch.randn(8, 3, 24, 24)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
