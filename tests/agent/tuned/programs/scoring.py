"""Inference without gradients, in evaluation mode: the variant is the first argument."""

import sys

import torch
from torch import nn

VARIANT = sys.argv[1]
WIDTH = 256

if VARIANT == "encoder":
    layer = nn.TransformerEncoderLayer(WIDTH, 4, batch_first=True)
    model = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
    shape = (4, 32, WIDTH)
elif VARIANT == "convolution":
    model = nn.Sequential(
        nn.Conv2d(3, 32, 3), nn.ReLU(), nn.Conv2d(32, 32, 3, bias=False), nn.BatchNorm2d(32)
    )
    shape = (8, 3, 32, 32)
else:
    model = nn.Sequential(
        *(nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.ReLU(), nn.Dropout(0.2)) for _ in range(8))
    )
    shape = (256, WIDTH)
model.eval()
with torch.inference_mode():
    for _ in range(100):
        scores = model(torch.randn(shape))
        del scores
