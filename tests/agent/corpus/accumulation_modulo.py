"""Gradient accumulation with a condition: four passes of the loop are one optimizer step."""
# steps: optimizer
import torch

w = torch.nn.Parameter(torch.rand(5, 12))
opt = torch.optim.Adam([w], lr=1e-3)

for index in range(400):  # loop
    x = torch.rand(5, 12)  # plant: aten::rand *4
    out = (w * x).sigmoid()  # plant: aten::sigmoid 5x12 *4  # backward: SigmoidBackward0 *4; MulBackward0 *4
    loss = out.mean() / 4  # plant: aten::mean 5x12 *4  # backward: MeanBackward0 *4; DivBackward0 *4
    loss.backward()  # plant: aten::ones_like scalar *4
    if (index + 1) % 4 == 0:
        opt.step()  # plant: aten::addcdiv_ 5x12
        opt.zero_grad()
