"""Inference with dropout that drops."""

import torch
from torch import nn

model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Dropout(0.5), nn.Linear(256, 8))
with torch.no_grad():
    for _ in range(100):
        scores = model(torch.randn(2048, 64))  # expect: train-mode-inference
