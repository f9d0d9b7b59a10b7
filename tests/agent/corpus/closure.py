"""An optimizer that calls a closure: forward and backward run inside its step."""
# steps: optimizer
import torch

w = torch.nn.Parameter(torch.rand(4, 7))
opt = torch.optim.SGD([w], lr=1e-3)


def closure():
    opt.zero_grad()
    loss = w.sin().prod()  # plant: aten::sin 4x7; aten::prod 4x7  # backward: SinBackward0; ProdBackward0
    loss.backward()
    return loss


for step in range(60):  # loop
    loss = opt.step(closure)  # plant: aten::add_ 4x7
    loss.detach().log2()  # plant: aten::log2 scalar
