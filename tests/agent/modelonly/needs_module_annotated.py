# expect: no (student: a module)
import torch
from torch import nn


class Distiller(nn.Module):
    def __init__(self, student: nn.Module, teacher: nn.Module, alpha: float = 0.5):
        super().__init__()
        self.student, self.teacher, self.alpha = student, teacher, alpha

    def forward(self, x):
        with torch.no_grad():
            target = self.teacher(x)
        return self.alpha * (self.student(x) - target).pow(2)
