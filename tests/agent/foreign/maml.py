"""Inner updates by ``autograd.grad`` for each task, then one outer step over all of them."""
# steps: optimizer
from time import time_ns

import torch
from torch import nn
from torch.nn.functional import mse_loss

weights = [nn.Parameter(0.3 * torch.randn(16, 1)), nn.Parameter(torch.zeros(16))]
weights += [nn.Parameter(0.3 * torch.randn(1, 16)), nn.Parameter(torch.zeros(1))]
optimizer = torch.optim.Adam(weights, lr=1e-3)


def forward(x, parameters):
    hidden = nn.functional.linear(x, parameters[0], parameters[1]).tanh()
    return nn.functional.linear(hidden, parameters[2], parameters[3])


def adapted(x, y):
    fast = weights
    for _ in range(3):
        gradients = torch.autograd.grad(mse_loss(forward(x, fast), y), fast, create_graph=True)
        fast = [p - 0.01 * g for p, g in zip(fast, gradients)]
    return fast


for meta_iteration in range(150):  # step loop
    print("pass", time_ns(), flush=True)
    optimizer.zero_grad()
    total = 0.0
    for task in range(4):
        phase = 3 * torch.rand(1)
        x = 6 * torch.rand(10, 1)
        total = total + mse_loss(forward(x, adapted(x, (x + phase).sin())), (x + phase).sin())
    (total / 4).backward()
    optimizer.step()
