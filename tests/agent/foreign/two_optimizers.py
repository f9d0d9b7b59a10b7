"""Actor and critic with an optimizer each, both stepped in every pass."""
# steps: optimizer
from time import time_ns

import torch
from torch import nn

actor = nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 2))
critic = nn.Sequential(nn.Linear(7, 16), nn.Tanh(), nn.Linear(16, 1))
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)

for update in range(300):  # step loop
    print("pass", time_ns(), flush=True)
    state, reward = torch.rand(12, 5), torch.rand(12, 1)
    with torch.no_grad():
        action = actor(state)
    value_loss = nn.functional.mse_loss(critic(torch.cat([state, action], 1)), reward)
    critic_optimizer.zero_grad()
    value_loss.backward()
    critic_optimizer.step()

    policy_loss = -critic(torch.cat([state, actor(state)], 1)).mean()
    actor_optimizer.zero_grad()
    policy_loss.backward()
    actor_optimizer.step()
