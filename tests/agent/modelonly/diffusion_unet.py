# expect: found DiffusionUNet
import math

import torch
from torch import nn


class SinusoidalPosEmb(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        half = self.dim // 2
        freq = torch.exp(torch.arange(half, device=x.device) * -(math.log(10000) / (half - 1)))
        emb = x[:, None] * freq[None, :]
        return torch.cat((emb.sin(), emb.cos()), dim=-1)


class ResBlock(nn.Module):
    def __init__(self, dim, dim_out, time_emb_dim, groups=4):
        super().__init__()
        self.mlp = nn.Sequential(nn.SiLU(), nn.Linear(time_emb_dim, dim_out))
        self.block1 = nn.Sequential(nn.Conv2d(dim, dim_out, 3, padding=1), nn.GroupNorm(groups, dim_out), nn.SiLU())
        self.block2 = nn.Sequential(nn.Conv2d(dim_out, dim_out, 3, padding=1), nn.GroupNorm(groups, dim_out), nn.SiLU())
        self.skip = nn.Conv2d(dim, dim_out, 1) if dim != dim_out else nn.Identity()

    def forward(self, x, t):
        h = self.block1(x) + self.mlp(t)[:, :, None, None]
        return self.block2(h) + self.skip(x)


class DiffusionUNet(nn.Module):
    def __init__(self, dim, dim_mults=(1, 2), channels=3):
        super().__init__()
        time_dim = dim * 4
        self.time_mlp = nn.Sequential(SinusoidalPosEmb(dim), nn.Linear(dim, time_dim), nn.GELU(), nn.Linear(time_dim, time_dim))
        self.init_conv = nn.Conv2d(channels, dim, 7, padding=3)
        dims = [dim, *(dim * m for m in dim_mults)]
        self.downs = nn.ModuleList()
        for a, b in zip(dims, dims[1:]):
            self.downs.append(nn.ModuleList([ResBlock(a, b, time_dim), nn.Conv2d(b, b, 4, 2, 1)]))
        self.mid = ResBlock(dims[-1], dims[-1], time_dim)
        self.ups = nn.ModuleList()
        for a, b in zip(dims[:0:-1], dims[-2::-1]):
            self.ups.append(nn.ModuleList([nn.ConvTranspose2d(a, a, 4, 2, 1), ResBlock(2 * a, b, time_dim)]))
        self.final = nn.Conv2d(dim, channels, 1)

    def forward(self, x, time):
        x = self.init_conv(x)
        t = self.time_mlp(time)
        skips = []
        for block, down in self.downs:
            x = block(x, t)
            skips.append(x)
            x = down(x)
        x = self.mid(x, t)
        for up, block in self.ups:
            x = block(torch.cat((up(x), skips.pop()), 1), t)
        return self.final(x)
