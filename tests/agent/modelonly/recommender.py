# expect: found NeuMF
import torch
from torch import nn


class NeuMF(nn.Module):
    def __init__(self, num_users, num_items, mf_dim=8, layers=(64, 32, 16)):
        super().__init__()
        self.mf_user, self.mf_item = nn.Embedding(num_users, mf_dim), nn.Embedding(num_items, mf_dim)
        self.mlp_user = nn.Embedding(num_users, layers[0] // 2)
        self.mlp_item = nn.Embedding(num_items, layers[0] // 2)
        self.mlp = nn.Sequential(*[nn.Sequential(nn.Linear(a, b), nn.ReLU()) for a, b in zip(layers, layers[1:])])
        self.out = nn.Linear(mf_dim + layers[-1], 1)

    def forward(self, user_indices, item_indices):
        mf = self.mf_user(user_indices) * self.mf_item(item_indices)
        mlp = self.mlp(torch.cat([self.mlp_user(user_indices), self.mlp_item(item_indices)], dim=-1))
        return torch.sigmoid(self.out(torch.cat([mf, mlp], dim=-1)))
