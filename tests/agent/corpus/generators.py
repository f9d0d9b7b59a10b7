"""Generators: work before and after a yield, delegation, values sent in, context managers."""
# steps: optimizer
import contextlib

import torch

w = torch.nn.Parameter(torch.rand(5, 14))
opt = torch.optim.Adam([w], lr=1e-3)


def batches():
    while True:
        raw = torch.rand(5, 14)  # plant: aten::rand
        yield raw.round()  # plant: aten::round 5x14
        raw.ceil()  # plant: aten::ceil 5x14


def layers(x):
    x = x.sin()  # plant: aten::sin 5x14  # backward: SinBackward0
    yield x
    x = x.exp()  # plant: aten::exp 5x14  # backward: ExpBackward0
    yield x


def all_layers(x):
    yield x.tanh()  # plant: aten::tanh 5x14  # backward: TanhBackward0
    yield from layers(x)


def averaging():
    mean = torch.zeros(5)
    while True:
        mean = mean.lerp((yield mean), 0.5)  # plant: aten::lerp 5


@contextlib.contextmanager
def scaled(x):
    y = x.log1p()  # plant: aten::log1p 5x14  # backward: Log1PBackward0
    yield y
    y.detach().floor()  # plant: aten::floor 5x14


average = averaging()
next(average)
for batch in batches():  # loop
    opt.zero_grad()
    with scaled(w.abs()) as y:  # plant: aten::abs 5x14  # backward: AbsBackward0
        loss = sum(part.sum() for part in all_layers(y * batch))  # plant: aten::sum 5x14 *3  # backward: SumBackward0 *3; MulBackward0 5x14
    average.send(w.detach().amin(1))  # plant: aten::amin 5x14
    loss.backward()
    opt.step()  # plant: aten::addcdiv_ 5x14
