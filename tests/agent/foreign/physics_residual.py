"""Derivatives of the output by ``autograd.grad`` twice in the loss, then an ordinary backward."""
# steps: backward
from time import time_ns

import torch
from torch import nn

net = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))


def derivative(y, x):
    return torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True)[0]


for iteration in range(300):  # step loop
    print("pass", time_ns(), flush=True)
    t = torch.rand(20, 1, requires_grad=True)
    u = net(t)
    slope = derivative(u, t)
    residual = derivative(slope, t) + u
    start = net(torch.zeros(1, 1)) - 1
    loss = residual.square().mean() + start.square().sum()
    loss.backward()
    with torch.no_grad():
        for p in net.parameters():
            p -= 0.01 * p.grad
            p.grad = None
