"""A loop without an executable header."""
# steps: optimizer
import torch

w = torch.nn.Parameter(torch.rand(8, 6))
opt = torch.optim.SGD([w], lr=1e-3)
step = 0

while True:  # loop
    x = torch.rand(8, 6)  # plant: aten::rand
    opt.zero_grad()
    loss = (
        (w * x)
        .tanh()  # plant: aten::tanh 8x6  # backward: TanhBackward0
        .sum()  # backward: SumBackward0
    )
    loss.backward()
    opt.step()  # plant: aten::add_ 8x6
    step += 1
    if step == 60:
        break
