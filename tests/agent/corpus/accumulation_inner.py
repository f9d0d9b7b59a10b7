"""Gradient accumulation with a loop of its own inside the step."""
# steps: optimizer
import torch

w = torch.nn.Parameter(torch.rand(5, 11))
opt = torch.optim.SGD([w], lr=1e-3)

for step in range(60):  # loop
    opt.zero_grad()
    for micro in range(3):
        x = torch.rand(5, 11)  # plant: aten::rand *3
        out = (w * x).tanh()  # plant: aten::tanh 5x11 *3  # backward: TanhBackward0 *3; MulBackward0 *3
        loss = out.mean()  # plant: aten::mean 5x11 *3  # backward: MeanBackward0 *3
        loss.backward()  # plant: aten::ones_like scalar *3
    w.grad.floor_()  # plant: aten::floor_ 5x11
    opt.step()
