"""``torch.func``: the gradient is a function of the parameters, and nothing calls backward."""
# steps: backward
from time import time_ns

import torch
from torch import nn
from torch.func import functional_call, grad_and_value, vmap

model = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1))
parameters = {name: p.detach() for name, p in model.named_parameters()}


def loss_of(parameters, x, y):
    return (functional_call(model, parameters, (x,)) - y).square().mean()


per_sample = vmap(grad_and_value(loss_of), in_dims=(None, 0, 0))

for step in range(200):  # step loop
    print("pass", time_ns(), flush=True)
    x = torch.rand(8, 6)
    gradients, losses = per_sample(parameters, x, x.sum(1, keepdim=True))
    parameters = {
        name: p - 0.05 * gradients[name].clamp(-1, 1).mean(0) for name, p in parameters.items()
    }
