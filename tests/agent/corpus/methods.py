"""Tensor methods, one by one and in chains."""
# steps: optimizer
import torch

w = torch.nn.Parameter(torch.rand(6, 10))
opt = torch.optim.SGD([w], lr=1e-3)

for step in range(60):  # loop
    opt.zero_grad()
    a = w.sin()  # plant: aten::sin 6x10  # backward: SinBackward0
    b = a.tanh()  # plant: aten::tanh 6x10  # backward: TanhBackward0
    c = b.reshape(10, 6).t().contiguous()  # plant: aten::reshape 6x10; aten::clone 6x10 *1  # backward: ViewBackward0; TBackward0; CloneBackward0
    first, second = c.chunk(2, dim=1)  # plant: aten::chunk 6x10  # backward: SplitBackward0
    d = first.exp().log1p()  # plant: aten::exp 6x5; aten::log1p 6x5  # backward: ExpBackward0; Log1PBackward0
    e = second.sigmoid().cumsum(0)  # plant: aten::sigmoid 6x5; aten::cumsum 6x5 *2  # backward: SigmoidBackward0; CumsumBackward0
    loss = d.dot(e) if d.dim() == 1 else (d * e).mean()  # backward: MulBackward0; MeanBackward0
    loss.backward()
    opt.step()  # plant: aten::add_ 6x10
