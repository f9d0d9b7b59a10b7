# expect: found MoETransformerBlock
import torch
from torch import nn
import torch.nn.functional as F


class Expert(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.w1, self.w2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

    def forward(self, x):
        return self.w2(F.gelu(self.w1(x)))


class SparseMoE(nn.Module):
    def __init__(self, d_model, d_ff, num_experts, top_k):
        super().__init__()
        self.experts = nn.ModuleList([Expert(d_model, d_ff) for _ in range(num_experts)])
        self.gate = nn.Linear(d_model, num_experts)
        self.top_k = top_k

    def forward(self, x):
        flat = x.reshape(-1, x.size(-1))
        weights, chosen = torch.topk(self.gate(flat).softmax(-1), self.top_k)
        out = torch.zeros_like(flat)
        for number, expert in enumerate(self.experts):
            rows, slot = torch.where(chosen == number)
            out[rows] += weights[rows, slot, None] * expert(flat[rows])
        return out.view_as(x)


class MoETransformerBlock(nn.Module):
    def __init__(self, d_model: int, n_heads: int, d_ff: int, num_experts: int, top_k: int = 2):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.attn = nn.MultiheadAttention(d_model, n_heads, batch_first=True)
        self.moe = SparseMoE(d_model, d_ff, num_experts, top_k)

    def forward(self, x, attn_mask=None):
        y = self.norm1(x)
        x = x + self.attn(y, y, y, attn_mask=attn_mask, need_weights=False)[0]
        return x + self.moe(self.norm2(x))
