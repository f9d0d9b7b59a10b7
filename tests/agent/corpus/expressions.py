"""Operator expressions: no call appears in the source, so no Python call event exists for them."""
# steps: optimizer
import torch

w = torch.nn.Parameter(torch.rand(7, 13) + 1.0)
m = torch.nn.Parameter(torch.rand(13, 5) + 1.0)
bias = torch.rand(7, 5)
opt = torch.optim.SGD([w, m], lr=1e-3)

for step in range(60):  # loop
    opt.zero_grad()
    a = w * w.detach()  # plant: aten::mul 7x13 *2  # backward: MulBackward0
    b = a - 0.5  # plant: aten::sub 7x13  # backward: SubBackward0
    c = b @ m  # plant: aten::matmul 7x13; aten::mm 7x13; aten::mm 13x7; aten::mm 7x5  # backward: MmBackward0
    d = c + bias  # plant: aten::add 7x5  # backward: AddBackward0
    e = d / 3.0  # plant: aten::div 7x5 *2  # backward: DivBackward0
    f = -e  # plant: aten::neg 7x5 *2  # backward: NegBackward0
    mask = f < 0  # plant: aten::lt 7x5
    inverse = ~mask  # plant: aten::bitwise_not 7x5
    g = 2.0 ** f  # plant: aten::pow scalar  # backward: PowBackward2
    h = (g % 10.0,  # plant: aten::remainder 7x5  # backward: RemainderBackward0
         g.abs())[0]  # plant: aten::abs 7x5
    loss = h.sum()  # backward: SumBackward0
    loss.backward()  # plant: aten::ones_like scalar
    opt.step()  # plant: aten::add_ 7x13; aten::add_ 13x5
