# expect: found WindowTransformer
import torch
from torch import nn


class WindowBlock(nn.Module):
    def __init__(self, dim, heads, window_size):
        super().__init__()
        self.window = window_size
        self.norm = nn.LayerNorm(dim)
        self.attn = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.mlp = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

    def forward(self, x):
        b, h, w, c = x.shape
        s = self.window
        y = x.view(b, h // s, s, w // s, s, c).permute(0, 1, 3, 2, 4, 5).reshape(-1, s * s, c)
        y = self.norm(y)
        y = self.attn(y, y, y, need_weights=False)[0]
        y = y.view(b, h // s, w // s, s, s, c).permute(0, 1, 3, 2, 4, 5).reshape(b, h, w, c)
        x = x + y
        return x + self.mlp(x)


class WindowTransformer(nn.Module):
    def __init__(self, img_size=64, patch_size=4, embed_dim=32, depths=(1, 1), num_heads=(2, 4), window_size=4, num_classes=10):
        super().__init__()
        self.embed = nn.Conv2d(3, embed_dim, patch_size, patch_size)
        self.stages = nn.ModuleList()
        dim = embed_dim
        for depth, heads in zip(depths, num_heads):
            self.stages.append(nn.Sequential(*[WindowBlock(dim, heads, window_size) for _ in range(depth)]))
            self.stages.append(nn.Linear(dim, 2 * dim))
            dim *= 2
        self.head = nn.Linear(dim, num_classes)

    def forward(self, x):
        x = self.embed(x).permute(0, 2, 3, 1)
        for stage in self.stages:
            x = stage(x)
        return self.head(x.mean((1, 2)))
