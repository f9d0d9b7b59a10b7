# expect: found Shuffler
from torch import nn


class Shuffler(nn.Module):
    def __init__(self, order, width):
        super().__init__()
        self.order = list(order)
        self.mix = nn.Linear(width, width)

    def forward(self, items):
        assert items.shape[1] == len(self.order)
        return self.mix(items[:, self.order])
