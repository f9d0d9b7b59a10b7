"""A small vision transformer, built from nested modules."""

import torch
import torch.nn.functional as F
from torch import nn


class PatchEmbedding(nn.Module):
    def __init__(self, image_size: int, patch_size: int, channels: int, width: int):
        super().__init__()
        self.project = nn.Conv2d(channels, width, patch_size, stride=patch_size)
        self.class_token = nn.Parameter(torch.zeros(1, 1, width))
        patches = (image_size // patch_size) ** 2
        self.positions = nn.Parameter(0.02 * torch.randn(1, patches + 1, width))

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        patches = self.project(images).flatten(2).transpose(1, 2)
        token = self.class_token.expand(len(images), -1, -1)
        return torch.cat([token, patches], dim=1) + self.positions


class Attention(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = self.qkv(x).unflatten(2, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        x = F.scaled_dot_product_attention(q, k, v)
        return self.out(x.transpose(1, 2).flatten(2))


class SwiGLU(nn.Module):
    def __init__(self, width: int, hidden: int):
        super().__init__()
        self.up = nn.Linear(width, 2 * hidden)
        self.down = nn.Linear(hidden, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        gate, value = self.up(x).chunk(2, dim=-1)
        return self.down(F.silu(gate) * value)


class Residual(nn.Module):
    """Normalise, apply, add."""

    def __init__(self, width: int, inner: nn.Module):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.inner = inner

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.inner(self.norm(x))


class VisionTransformer(nn.Module):
    def __init__(
        self,
        image_size: int = 32,
        patch_size: int = 8,
        channels: int = 3,
        width: int = 64,
        depth: int = 4,
        heads: int = 4,
        classes: int = 10,
    ):
        super().__init__()
        self.embed = PatchEmbedding(image_size, patch_size, channels, width)
        self.blocks = nn.Sequential(
            *(
                nn.Sequential(
                    Residual(width, Attention(width, heads)),
                    Residual(width, SwiGLU(width, 2 * width)),
                )
                for _ in range(depth)
            )
        )
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, classes)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        x = self.blocks(self.embed(images))
        return self.head(self.norm(x[:, 0]))
