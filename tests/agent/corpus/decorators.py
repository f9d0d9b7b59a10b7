"""Decorated functions: the wrapper's own operators, the function's, and torch's decorators."""
# steps: optimizer
import functools

import torch

w = torch.nn.Parameter(torch.rand(4, 12))
opt = torch.optim.SGD([w], lr=1e-3)


def normalised(function):
    @functools.wraps(function)
    def wrapper(x):
        x = x.atan()  # plant: aten::atan 4x12  # backward: AtanBackward0
        result = function(x)
        return result.tan()  # plant: aten::tan 4x12  # backward: TanBackward0

    return wrapper


class Counted:
    def __init__(self, function):
        self.function = function
        self.total = torch.zeros(4)

    def __call__(self, x):
        self.total += x.detach().amax(1)  # plant: aten::amax 4x12; aten::add_ 4
        return self.function(x)


@normalised
@Counted
def body(x):
    return x.sin()  # plant: aten::sin 4x12  # backward: SinBackward0


@torch.no_grad()
def measure(x):
    return x.std(1)  # plant: aten::std 4x12


@torch.enable_grad()
def ending(x):
    return x.softmax(1)  # plant: aten::softmax 4x12  # backward: SoftmaxBackward0


for step in range(60):  # loop
    opt.zero_grad()
    out = body(w)
    measure(out)
    loss = ending(out).prod()  # plant: aten::prod 4x12  # backward: ProdBackward0
    loss.backward()
    opt.step()  # plant: aten::add_ 4x12
