"""``while True`` with ``next`` on an iterator that is made anew when it ends."""
# steps: optimizer
from time import time_ns

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

loader = DataLoader(TensorDataset(torch.rand(48, 6)), batch_size=8, drop_last=True)
model = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 6))
optimizer = torch.optim.Adam(model.parameters())
iterator = iter(loader)
step = 0
while True:  # step loop
    try:
        (inputs,) = next(iterator)
    except StopIteration:
        iterator = iter(loader)
        (inputs,) = next(iterator)
    print("pass", time_ns(), flush=True)
    loss = (model(inputs) - inputs).square().mean()
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    step += 1
    if step > 300 or loss.item() < 1e-9:
        break
