"""A custom autograd.Function: its backward is the user's code and keeps its own lines."""
# steps: optimizer
import torch

w = torch.nn.Parameter(torch.rand(4, 9))
opt = torch.optim.SGD([w], lr=1e-3)


class Clipped(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, limit):
        ctx.save_for_backward(x)
        ctx.limit = limit
        y = x.clamp(max=limit)  # plant: aten::clamp 4x9
        return y

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        inside = x.lt(ctx.limit)  # plant: aten::lt 4x9
        masked = torch.where(  # plant: aten::where 4x9
            inside, gradient,
            gradient.floor(),  # plant: aten::floor 4x9
        )
        return helper(masked), None


def helper(gradient):
    return gradient.trunc()  # plant: aten::trunc 4x9


class Halved(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x.ldexp(torch.tensor(-1))  # plant: aten::ldexp 4x9

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, gradient):
        return gradient.round()  # plant: aten::round 4x9


for step in range(60):  # loop
    opt.zero_grad()
    a = w.sin()  # plant: aten::sin 4x9  # backward: SinBackward0
    b = Clipped.apply(a, 0.5)
    c = Halved.apply(b)
    loss = c.exp().sum()  # plant: aten::exp 4x9  # backward: ExpBackward0; SumBackward0
    loss.backward()
    opt.step()  # plant: aten::add_ 4x9
