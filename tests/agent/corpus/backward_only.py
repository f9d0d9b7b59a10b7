"""Training by hand: no optimizer, so the backward passes are the steps."""
# steps: backward
import torch

w = torch.rand(6, 11, requires_grad=True)

for step in range(60):  # loop
    out = w.sin()  # plant: aten::sin 6x11  # backward: SinBackward0
    loss = out.exp().sum()  # plant: aten::exp 6x11  # backward: ExpBackward0; SumBackward0
    loss.backward()  # plant: aten::ones_like scalar
    with torch.no_grad():
        w -= 1e-3 * w.grad  # plant: aten::sub_ 6x11; aten::mul 6x11 scalar
        w.grad = None
