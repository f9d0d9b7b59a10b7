"""The script marks its own steps: they win over the optimizer's, of which there are two a mark."""
# steps: explicit
import torch

import stepscope

w = torch.nn.Parameter(torch.rand(3, 10))
opt = torch.optim.SGD([w], lr=1e-3)

for step in range(60):
    for _ in range(2):
        opt.zero_grad()
        loss = w.sin().exp().sum()  # plant: aten::sin 3x10 *2; aten::exp 3x10 *2  # backward: SinBackward0 *2; ExpBackward0 *2; SumBackward0 *2
        loss.backward()  # plant: aten::ones_like scalar *2
        opt.step()  # plant: aten::add_ 3x10 *2
    stepscope.step()
