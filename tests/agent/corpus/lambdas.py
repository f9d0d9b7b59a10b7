"""Lambdas, alone, stored, passed on, and called by a library."""
# steps: optimizer
import functools

import torch

w = torch.nn.Parameter(torch.rand(8, 3))
opt = torch.optim.Adam([w], lr=1e-3)
square = lambda x: x.square()  # plant: aten::square 8x3  # backward: PowBackward0
scaled = functools.partial(lambda x, top: x.clamp(max=top), top=2.0)  # plant: aten::clamp 8x3  # backward: ClampBackward1
table = {
    "sin": lambda x: x.sin(),  # plant: aten::sin 8x3  # backward: SinBackward0
    "exp": lambda x: x.exp(),  # plant: aten::exp 8x3  # backward: ExpBackward0
}

for step in range(60):  # loop
    opt.zero_grad()
    a = square(w)
    b = scaled(a)
    c = table["exp"](table["sin"](b))
    order = sorted(range(3), key=lambda i: float(c[:, i].detach().max()))  # plant: aten::max 8 *3
    d = list(map(lambda i: c[i].tanh(), order))  # plant: aten::tanh 3 *3  # backward: TanhBackward0 *3
    loss = torch.stack(d).log_softmax(0).mean()  # plant: aten::stack; aten::log_softmax 3x3  # backward: StackBackward0; LogSoftmaxBackward0; MeanBackward0
    loss.backward()
    opt.step()  # plant: aten::addcdiv_ 8x3
