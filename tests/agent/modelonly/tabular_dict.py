# expect: found TabularModel
from typing import Dict

import torch
from torch import Tensor, nn


class TabularModel(nn.Module):
    def __init__(self, num_numeric: int = 12, cardinalities=(5, 9, 31), width: int = 64):
        super().__init__()
        self.embeddings = nn.ModuleList(nn.Embedding(n, 8) for n in cardinalities)
        self.numeric = nn.Linear(num_numeric, width)
        self.head = nn.Sequential(nn.ReLU(), nn.Linear(width + 8 * len(cardinalities), 1))

    def forward(self, batch: Dict[str, Tensor]) -> Tensor:
        dense = self.numeric(batch["numeric"])
        cats = [emb(batch["categorical"][:, i]) for i, emb in enumerate(self.embeddings)]
        return self.head(torch.cat([dense, *cats], dim=1)).squeeze(-1)
