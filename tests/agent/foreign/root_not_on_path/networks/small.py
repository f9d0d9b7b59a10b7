from torch import nn


class Small(nn.Linear):
    def __init__(self):
        super().__init__(6, 1)
