"""Puts everything on "cuda" without asking whether there is one."""
# fails: target-failed
# says: no_choice_of_device.py asks for
# says: Run it on the CPU anyway
# needs: no-cuda
import torch
from torch import nn

device = torch.device("cuda")
model = nn.Linear(6, 1)
model.to(device)  # fails here
for n in range(100):
    loss = model(torch.rand(4, 6).cuda()).square().mean()
    loss.backward()
    with torch.no_grad():
        for p in model.parameters():
            p -= 0.1 * p.grad
            p.grad = None
