"""A policy called at each environment step, then several epochs of minibatch updates."""
# steps: optimizer
from time import time_ns

import torch
from torch import nn

STEPS, MINIBATCH, EPOCHS = 32, 8, 3


class Cart:
    def reset(self):
        self.state = torch.randn(3)
        return self.state

    def step(self, action):
        self.state = 0.9 * self.state + 0.1 * action
        return self.state, -self.state.abs().sum().item(), bool(self.state.norm() < 0.1)


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.policy = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 2))
        self.value = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))

    def forward(self, state):
        return torch.distributions.Categorical(logits=self.policy(state)), self.value(state)


env, agent = Cart(), Agent()
optimizer = torch.optim.Adam(agent.parameters(), lr=1e-3)
state = env.reset()

for iteration in range(30):
    states, actions, chances, rewards = [], [], [], []
    for _ in range(STEPS):
        with torch.no_grad():
            choice, _ = agent(state)
        action = choice.sample()
        states.append(state)
        actions.append(action)
        chances.append(choice.log_prob(action))
        state, reward, done = env.step(action)
        rewards.append(reward)
        if done:
            state = env.reset()
    states, actions, chances = torch.stack(states), torch.stack(actions), torch.stack(chances)
    returns = torch.tensor(rewards).flip(0).cumsum(0).flip(0)
    for epoch in range(EPOCHS):
        for chosen in torch.randperm(STEPS).split(MINIBATCH):  # step loop
            print("pass", time_ns(), flush=True)
            choice, value = agent(states[chosen])
            ratio = (choice.log_prob(actions[chosen]) - chances[chosen]).exp()
            advantage = returns[chosen] - value.squeeze(1).detach()
            clipped = ratio.clamp(0.8, 1.2)
            loss = -torch.min(ratio * advantage, clipped * advantage).mean()
            loss = loss + (value.squeeze(1) - returns[chosen]).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
