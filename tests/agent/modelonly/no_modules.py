# expect: no (defines no torch.nn.Module class)
import torch


def normalise(x: torch.Tensor) -> torch.Tensor:
    return x / x.norm(dim=-1, keepdim=True)


class Meter:
    def __init__(self):
        self.total = 0.0
