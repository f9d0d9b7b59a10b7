# expect: no (inputs)
import torch
from torch import nn


class Protocol(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, message):
        if not isinstance(message, dict) or message.pop("magic", None) != 0x5EED:
            raise RuntimeError("this is no message of ours")
        return self.fc(message.popitem()[1])
