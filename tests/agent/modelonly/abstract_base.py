# expect: found GaussianPolicy
from abc import ABC, abstractmethod

import torch
from torch import nn
from torch.distributions import Normal


class Policy(nn.Module, ABC):
    @abstractmethod
    def distribution(self, obs):
        """The action distribution."""

    def forward(self, obs, act=None):
        pi = self.distribution(obs)
        return pi, None if act is None else pi.log_prob(act).sum(-1)


class GaussianPolicy(Policy):
    def __init__(self, obs_dim, act_dim, hidden_sizes):
        super().__init__()
        sizes = [obs_dim, *hidden_sizes, act_dim]
        layers = []
        for a, b in zip(sizes, sizes[1:]):
            layers += [nn.Linear(a, b), nn.Tanh()]
        self.mu = nn.Sequential(*layers[:-1])
        self.log_std = nn.Parameter(-0.5 * torch.ones(act_dim))

    def distribution(self, obs):
        return Normal(self.mu(obs), self.log_std.exp())
