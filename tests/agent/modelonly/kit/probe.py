# expect: found Probe
from torch import nn


class Probe(nn.Module):
    def __init__(self, inner, answers):
        super().__init__()
        self.inner = inner
        self.head = nn.Linear(8, answers)

    def forward(self, x):
        return self.head(self.inner(x))
