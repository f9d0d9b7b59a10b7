"""The opened file only builds things; the loop is in a package beside it."""
# steps: optimizer
import torch
from engine import fit
from torch import nn

model = nn.Sequential(nn.Linear(6, 16), nn.SiLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
fit(model, optimizer, torch.rand(40, 6), epochs=100)
