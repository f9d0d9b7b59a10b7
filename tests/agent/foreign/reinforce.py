"""One update per episode; the policy is called, with its graph, at every step of the environment."""
# steps: optimizer
from time import time_ns

import torch
from torch import nn

policy = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)


def select_action(state, saved):
    choice = torch.distributions.Categorical(logits=policy(state))
    action = choice.sample()
    saved.append(choice.log_prob(action))
    return action


def finish_episode(saved, rewards):
    returns = torch.tensor(rewards).flip(0).cumsum(0).flip(0)
    returns = (returns - returns.mean()) / (returns.std() + 1e-6)
    optimizer.zero_grad()
    loss = -(torch.stack(saved) * returns).sum()
    loss.backward()
    optimizer.step()


def main():
    for episode in range(100):  # step loop
        print("pass", time_ns(), flush=True)
        state, saved, rewards = torch.randn(4), [], []
        for t in range(12):
            action = select_action(state, saved)
            state = 0.8 * state + 0.2 * action
            rewards.append(-state.abs().sum().item())
        finish_episode(saved, rewards)


if __name__ == "__main__":
    main()
