# expect: found QFunction
import torch
from torch import nn


class QFunction(nn.Module):
    def __init__(self, state_dim, action_dim, hidden_dim=64):
        super().__init__()
        self.q = nn.Sequential(nn.Linear(state_dim + action_dim, hidden_dim), nn.ReLU(), nn.Linear(hidden_dim, 1))

    def forward(self, state, action):
        return self.q(torch.cat([state, action], dim=-1)).squeeze(-1)
