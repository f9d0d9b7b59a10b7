"""Code behind attribute access and operators of the user's own classes."""
# steps: optimizer
import torch


class Signal:
    def __init__(self, data):
        self.data = data

    @property
    def level(self):
        return self.data.exp()  # plant: aten::exp 3x11  # backward: ExpBackward0

    def __add__(self, other):
        return Signal(torch.maximum(self.data, other.data))  # plant: aten::maximum 3x11  # backward: MaximumBackward0

    def __getattr__(self, name):
        if name == "smooth":
            return self.data.sigmoid()  # plant: aten::sigmoid 3x11  # backward: SigmoidBackward0
        raise AttributeError(name)

    def __getitem__(self, key):
        return self.data.select(1, key)  # plant: aten::select 3x11 *4  # backward: SelectBackward0 *2

    def __len__(self):
        return int(self.data.detach().argmax())  # plant: aten::argmax 3x11

    def __iter__(self):
        yield self.data.sin()  # plant: aten::sin 3x11  # backward: SinBackward0
        yield self.data.asinh()  # plant: aten::asinh 3x11  # backward: AsinhBackward0

    def __enter__(self):
        return self.data.tan()  # plant: aten::tan 3x11  # backward: TanBackward0

    def __exit__(self, *exc):
        self.data.detach().cumsum(0)  # plant: aten::cumsum 3x11


class Parameters:
    w = torch.nn.Parameter(torch.rand(3, 11))


opt = torch.optim.Adam([Parameters.w], lr=1e-3)

for step in range(60):  # loop
    opt.zero_grad()
    signal = Signal(Parameters.w)
    both = signal + Signal(signal.level)
    size = len(both)
    first, second = both
    with both as tangent:
        total = tangent.abs()  # plant: aten::abs 3x11  # backward: AbsBackward0
    loss = (first * second * both.smooth * total).sum() + both[1].sum() + both[2].sum()
    loss.backward()
    opt.step()  # plant: aten::addcdiv_ 3x11
