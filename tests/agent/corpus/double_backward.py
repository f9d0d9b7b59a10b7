"""A gradient penalty: the gradient is itself differentiated (create_graph)."""
# steps: optimizer
import torch

w = torch.nn.Parameter(torch.rand(5, 7))
opt = torch.optim.SGD([w], lr=1e-3)

for step in range(60):  # loop
    opt.zero_grad()
    x = torch.rand(5, 7, requires_grad=True)  # plant: aten::rand
    y = (w * x).tanh()  # plant: aten::tanh 5x7  # backward: TanhBackward0 *2; TanhBackwardBackward0
    (gradient,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    penalty = gradient.square().mean()  # plant: aten::square 5x7  # backward: MeanBackward0; PowBackward0
    loss = y.exp().mean() + penalty  # plant: aten::exp 5x7  # backward: ExpBackward0; MeanBackward0
    loss.backward()
    opt.step()
