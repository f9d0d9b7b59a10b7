# expect: found DeepFM
import torch
from torch import nn


class DeepFM(nn.Module):
    """x: (batch, fields), each column an index into its own field."""

    def __init__(self, field_dims, embed_dim, mlp_dims=(32, 16), dropout=0.1):
        super().__init__()
        offsets = torch.tensor([0, *field_dims[:-1]]).cumsum(0)
        self.register_buffer("offsets", offsets)
        self.linear = nn.Embedding(sum(field_dims), 1)
        self.embedding = nn.Embedding(sum(field_dims), embed_dim)
        width, layers = len(field_dims) * embed_dim, []
        for dim in mlp_dims:
            layers += [nn.Linear(width, dim), nn.ReLU(), nn.Dropout(dropout)]
            width = dim
        self.mlp = nn.Sequential(*layers, nn.Linear(width, 1))

    def forward(self, x):
        x = x + self.offsets
        emb = self.embedding(x)
        fm = 0.5 * (emb.sum(1) ** 2 - (emb**2).sum(1)).sum(1, keepdim=True)
        return torch.sigmoid(self.linear(x).sum(1) + fm + self.mlp(emb.flatten(1))).squeeze(1)
