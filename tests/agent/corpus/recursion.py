"""The same code at several depths, and two functions that call one another."""
# steps: optimizer
import torch

w = torch.nn.Parameter(torch.rand(16, 3))
opt = torch.optim.Adam([w], lr=1e-3)


def halve(x):
    if x.shape[0] == 1:
        return x.exp()  # plant: aten::exp 1x3 *16  # backward: ExpBackward0 *16
    low, high = x.tensor_split(2)  # plant: aten::tensor_split 16x3; aten::tensor_split 4x3 *4
    left = halve(low)
    right = halve(high)
    return torch.hypot(left, right)  # plant: aten::hypot 1x3 *15  # backward: HypotBackward0 *15


def even(x, depth):
    x = x.sin()  # plant: aten::sin 1x3 *3  # backward: SinBackward0 *3
    return odd(x, depth - 1) if depth else x


def odd(x, depth):
    x = x.tanh()  # plant: aten::tanh 1x3 *2  # backward: TanhBackward0 *2
    return even(x, depth - 1) if depth else x


for step in range(60):  # loop
    opt.zero_grad()
    loss = even(halve(w), 4).mean()  # plant: aten::mean 1x3  # backward: MeanBackward0
    loss.backward()
    opt.step()  # plant: aten::addcdiv_ 16x3
