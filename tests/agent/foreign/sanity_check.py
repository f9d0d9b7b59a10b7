"""Two validation batches before the first training step, and a validation after every epoch."""
# steps: optimizer
from time import time_ns

import torch
from torch import nn

model = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
training, validation = torch.rand(10, 8, 10), torch.rand(6, 8, 10)


def validate(batches):
    model.eval()
    with torch.no_grad():
        result = sum(model(x).square().mean().item() for x in batches) / len(batches)
    model.train()
    return result


print("before:", validate(validation[:2]))
for epoch in range(40):
    for x in training:  # step loop
        print("pass", time_ns(), flush=True)
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()
    print(epoch, validate(validation))
