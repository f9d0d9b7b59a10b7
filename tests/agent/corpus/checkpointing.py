"""Activation checkpointing: the forward runs again inside the backward pass, on its own lines."""
# steps: optimizer; recomputing
import torch
from torch.utils.checkpoint import checkpoint

w = torch.nn.Parameter(torch.rand(6, 13))
opt = torch.optim.SGD([w], lr=1e-3)


def early(x):
    x = x.sin()  # plant: aten::sin 6x13 *2  # backward: SinBackward0
    return x.tanh()  # plant: aten::tanh 6x13 *2  # backward: TanhBackward0


def late(x):
    x = x.erf()  # plant: aten::erf 6x13 *2  # backward: ErfBackward0
    x = torch.nn.functional.softplus(x)  # plant: aten::softplus 6x13 *2  # backward: SoftplusBackward0
    return x


for step in range(60):  # loop
    opt.zero_grad()
    a = checkpoint(early, w, use_reentrant=False)
    b = a.sigmoid()  # plant: aten::sigmoid 6x13  # backward: SigmoidBackward0
    c = checkpoint(late, b, use_reentrant=True)
    loss = c.prod()  # plant: aten::prod 6x13  # backward: ProdBackward0
    loss.backward()
    opt.step()  # plant: aten::add_ 6x13
