"""Pretrains for five steps, deletes that model, then trains another one in another loop."""
# steps: backward
import gc
from time import time_ns

import torch
from torch import nn


def descend(model, loss):
    loss.backward()
    with torch.no_grad():
        for p in model.parameters():
            p -= 0.01 * p.grad
            p.grad = None


def pretrain(encoder):
    decoder = nn.Linear(4, 10)
    both = nn.Sequential(encoder, decoder)
    for x in torch.rand(5, 8, 10):
        descend(both, (both(x) - x).square().mean())


def finetune(model):
    for epoch in range(20):
        for x in torch.rand(10, 8, 10):  # step loop
            print("pass", time_ns(), flush=True)
            descend(model, nn.functional.cross_entropy(model(x), torch.randint(0, 3, (8,))))


encoder = nn.Linear(10, 4)
pretrain(encoder)
weights = encoder.state_dict()
del encoder
gc.collect()
classifier = nn.Sequential(nn.Linear(10, 4), nn.Tanh(), nn.Linear(4, 3))
classifier[0].load_state_dict(weights)
finetune(classifier)
