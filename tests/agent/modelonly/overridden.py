# expect: found Whisper
import torch
from torch import nn


# stepscope: model=Whisper(nn.Linear(40, 16), lambda x: x.relu())
# stepscope: inputs=torch.randn(6, 30, 40), scale=0.5
class Whisper(nn.Module):
    def __init__(self, front, squash):
        super().__init__()
        self.front, self.squash = front, squash
        self.out = nn.Linear(16, 4)

    def forward(self, x, *, scale):
        return self.out(self.squash(self.front(x) * scale))
