# expect: found SlotNet
import torch
from torch import nn


class SlotNet(nn.Module):
    def __init__(self, slots, inner, schedule):
        super().__init__()
        self.queries = nn.Parameter(torch.randn(slots, inner))
        self.updates = nn.ModuleList(nn.GRUCell(inner, inner) for n in schedule for _ in range(n))

    def forward(self, x, gate=None):
        slots = self.queries.expand(len(x), -1, -1)
        for cell in self.updates:
            attn = slots @ x.transpose(1, 2)
            if gate is not None:
                attn = attn.masked_fill(~gate[:, None], -1e9)
            update = attn.softmax(1) @ x
            slots = cell(update.flatten(0, 1), slots.flatten(0, 1)).view_as(slots)
        return slots
