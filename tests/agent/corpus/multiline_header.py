"""A loop whose header spans lines, with operators in the header itself."""
# steps: optimizer
import torch

w = torch.nn.Parameter(torch.rand(7, 4))
opt = torch.optim.SGD([w], lr=1e-3)
inputs = [torch.rand(7, 4) for _ in range(60)]

for index, (  # loop
    x,
    y,
) in enumerate(
    zip(
        inputs,
        (x.floor() for x in inputs),  # plant: aten::floor 7x4
    )
):
    opt.zero_grad()
    loss = (w * x).tanh().dist(y)  # plant: aten::tanh 7x4; aten::dist 7x4  # backward: TanhBackward0; DistBackward0; MulBackward0 7x4
    loss.backward()
    opt.step()  # plant: aten::add_ 7x4
