"""One statement over many lines: each operator belongs to its own line of it."""
# steps: optimizer
import torch

w = torch.nn.Parameter(torch.rand(5, 8))
opt = torch.optim.SGD(
    [w],
    lr=1e-3,
)

for step in range(60):  # loop
    opt.zero_grad()
    a = torch.add(  # plant: aten::add 5x8  # backward: AddBackward0
        w.sin(),  # plant: aten::sin 5x8  # backward: SinBackward0
        torch.mul(  # plant: aten::mul 5x8x1 *3  # backward: MulBackward0 5x8x1
            w.sinh().unsqueeze(2),  # plant: aten::sinh 5x8  # backward: SinhBackward0; UnsqueezeBackward0
            w.exp().unsqueeze(2),  # plant: aten::exp 5x8  # backward: ExpBackward0; UnsqueezeBackward0
        ).squeeze(2),
    )
    b = (
        a.tanh()  # plant: aten::tanh 5x8  # backward: TanhBackward0
        .sigmoid()  # plant: aten::sigmoid 5x8  # backward: SigmoidBackward0
        .softmax(1)  # plant: aten::softmax 5x8  # backward: SoftmaxBackward0
    )
    c = (
        b
        * w.relu()  # plant: aten::relu 5x8  # backward: ReluBackward0
        - w.sqrt()  # plant: aten::sqrt 5x8  # backward: SqrtBackward0
    )
    loss = {
        "a": c.sum(),  # plant: aten::sum 5x8  # backward: SumBackward0
        "b": c.prod(),  # plant: aten::prod 5x8  # backward: ProdBackward0
    }
    total = sum(loss.values())  # backward: AddBackward0 *2
    total.backward(
        retain_graph=False,
    )
    opt.step(
    )  # the closing parenthesis is not the line
