# expect: no (spec: a free-form configuration)
from torch import nn


class Assembled(nn.Module):
    def __init__(self, spec):
        super().__init__()
        self.first = nn.Linear(spec.zeta, spec.plan_b_quux)
        self.second = nn.Linear(spec.plan_b_quux, spec.zeta)

    def forward(self, x):
        return self.second(self.first(x))
