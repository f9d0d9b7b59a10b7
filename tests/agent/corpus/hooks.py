"""Hooks: the user's code that torch calls, in the forward and in the backward pass."""
# steps: optimizer
import torch
from torch import nn

first = nn.Linear(10, 7, bias=False)
second = nn.Linear(7, 4, bias=False)
opt = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=1e-3)
x = torch.rand(6, 10)


def before(module, args):
    return (args[0].ceil(),)  # plant: aten::ceil 6x10


def after(module, args, output):
    return output.tanh()  # plant: aten::tanh 6x7  # backward: TanhBackward0


def on_gradient(module, grad_input, grad_output):
    return (grad_input[0].round(),)  # plant: aten::round 6x7


def on_tensor(gradient):
    scaled = gradient.floor()  # plant: aten::floor 6x4
    return scaled


def on_parameter(parameter):
    parameter.grad.trunc_()  # plant: aten::trunc_ 7x10


first.register_forward_pre_hook(before)
first.register_forward_hook(after)
second.register_full_backward_hook(on_gradient)
first.weight.register_post_accumulate_grad_hook(on_parameter)

for step in range(60):  # loop
    opt.zero_grad()
    a = first(x)  # plant: aten::linear 6x10
    b = second(a)  # plant: aten::linear 6x7
    c = b.sin()  # plant: aten::sin 6x4  # backward: SinBackward0
    b.register_hook(on_tensor)
    loss = c.exp().mean()  # plant: aten::exp 6x4  # backward: ExpBackward0; MeanBackward0
    loss.backward()
    opt.step()  # plant: aten::add_ 7x10; aten::add_ 4x7
