# expect: found DenseClassifier
import torch
from torch import nn

MODELS = {}


def register(name):
    def wrap(cls):
        MODELS[name] = cls
        return cls

    return wrap


@register("dense")
class DenseClassifier(nn.Module):
    def __init__(self, in_features=20, hidden=64, n_classes=5):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(in_features, hidden), nn.ReLU(), nn.Linear(hidden, n_classes))

    def forward(self, x):
        return self.net(x)


def create(name, **kwargs):
    return MODELS[name](**kwargs)
