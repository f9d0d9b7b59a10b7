"""No function anywhere, weights updated by hand under no_grad."""
# steps: backward
from time import time_ns

import torch

x = torch.linspace(-1, 1, 64).unsqueeze(1)
y = x.sin()
w1, b1 = torch.randn(1, 16, requires_grad=True), torch.zeros(16, requires_grad=True)
w2, b2 = torch.randn(16, 1, requires_grad=True), torch.zeros(1, requires_grad=True)
lr = 0.01

for i in range(500):  # step loop
    print("pass", time_ns(), flush=True)
    loss = ((torch.tanh(x @ w1 + b1) @ w2 + b2 - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        for p in (w1, b1, w2, b2):
            p -= lr * p.grad
            p.grad = None
