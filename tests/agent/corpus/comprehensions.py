"""Comprehensions of every kind, inlined (3.12+) or frames of their own (before)."""
# steps: optimizer
import torch

parts = [torch.nn.Parameter(torch.rand(3, 2 + i)) for i in range(3)]
opt = torch.optim.Adam(parts, lr=1e-3)

for step in range(60):  # loop
    opt.zero_grad()
    a = [p.sin() for p in parts]  # plant: aten::sin 3x2; aten::sin 3x3; aten::sin 3x4  # backward: SinBackward0 *3
    b = {i: p.exp() for i, p in enumerate(a)}  # plant: aten::exp 3x2; aten::exp 3x3  # backward: ExpBackward0 *3
    c = [
        p.tanh()  # plant: aten::tanh 3x2; aten::tanh 3x4  # backward: TanhBackward0 *3
        for p in b.values()
        if p.gt(0).any()  # plant: aten::gt 3x2; aten::any 3x3
    ]
    d = sum(p.sigmoid().sum() for p in c)  # plant: aten::sigmoid 3x2; aten::sigmoid 3x4  # backward: SigmoidBackward0 *3; SumBackward0 *3
    e = [[q.cosh().sum() for q in row.unbind(1)] for row in c[:2]]  # plant: aten::cosh 3 *5; aten::unbind 3x2; aten::unbind 3x3  # backward: CoshBackward0 *5; UnbindBackward0 *2; SumBackward0 *5
    loss = d + sum(
        sum(row)
        for row in e
    )
    loss.backward()
    opt.step()  # plant: aten::addcdiv_ 3x2; aten::addcdiv_ 3x3; aten::addcdiv_ 3x4
