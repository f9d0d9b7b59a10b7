# expect: found CharTransformer
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class ModelArgs:
    vocab_size: int
    dim: int
    n_layers: int
    n_heads: int
    max_seq_len: int
    dropout: float = 0.1


class RMSNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight


class CharTransformer(nn.Module):
    def __init__(self, args: ModelArgs):
        super().__init__()
        self.tok = nn.Embedding(args.vocab_size, args.dim)
        layer = nn.TransformerEncoderLayer(args.dim, args.n_heads, 2 * args.dim, args.dropout,
                                           batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, args.n_layers, enable_nested_tensor=False)
        self.norm = RMSNorm(args.dim)
        self.out = nn.Linear(args.dim, args.vocab_size, bias=False)
        self.max_seq_len = args.max_seq_len

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        _, seqlen = tokens.shape
        mask = nn.Transformer.generate_square_subsequent_mask(seqlen, device=tokens.device)
        h = self.encoder(self.tok(tokens), mask=mask, is_causal=True)
        return self.out(self.norm(h))
