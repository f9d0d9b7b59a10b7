# expect: found Mamba
import torch
from torch import nn


class MambaConfig:
    def __init__(self, d_model=64, n_layers=2, expand_factor=2, vocab=256):
        self.d_model = d_model
        self.n_layers = n_layers
        self.d_inner = expand_factor * d_model
        self.vocab = vocab


class GatedBlock(nn.Module):
    def __init__(self, config: MambaConfig):
        super().__init__()
        self.proj_in = nn.Linear(config.d_model, 2 * config.d_inner)
        self.conv = nn.Conv1d(config.d_inner, config.d_inner, 4, padding=3, groups=config.d_inner)
        self.proj_out = nn.Linear(config.d_inner, config.d_model)

    def forward(self, x):
        y, gate = self.proj_in(x).chunk(2, -1)
        y = self.conv(y.transpose(1, 2))[..., : x.size(1)].transpose(1, 2)
        return x + self.proj_out(y * gate.sigmoid())


class Mamba(nn.Module):
    def __init__(self, config: MambaConfig):
        super().__init__()
        self.embed = nn.Embedding(config.vocab, config.d_model)
        self.blocks = nn.ModuleList([GatedBlock(config) for _ in range(config.n_layers)])
        self.out = nn.Linear(config.d_model, config.vocab)

    def forward(self, ids):
        x = self.embed(ids)
        for block in self.blocks:
            x = block(x)
        return self.out(x)
