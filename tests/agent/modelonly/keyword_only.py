# expect: found Perceiver
import torch
from torch import nn


class Perceiver(nn.Module):
    def __init__(self, *, num_latents: int, latent_dim: int, input_dim: int, num_heads: int = 4, depth: int = 2):
        super().__init__()
        self.latents = nn.Parameter(torch.randn(num_latents, latent_dim) * 0.02)
        self.cross = nn.MultiheadAttention(latent_dim, num_heads, kdim=input_dim, vdim=input_dim, batch_first=True)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(latent_dim, num_heads, 2 * latent_dim, batch_first=True) for _ in range(depth)
        )

    def forward(self, data: torch.Tensor) -> torch.Tensor:
        queries = self.latents.expand(data.size(0), -1, -1)
        x, _ = self.cross(queries, data, data, need_weights=False)
        for block in self.blocks:
            x = block(x)
        return x.mean(1)
