"""Each epoch has a loop for the policy and then one for the value function, a few passes each."""
# steps: optimizer
# flags: late
from time import time_ns

import torch
from torch import nn

policy, value = nn.Linear(4, 3), nn.Linear(4, 1)
policy_optimizer = torch.optim.SGD(policy.parameters(), lr=0.01)
value_optimizer = torch.optim.SGD(value.parameters(), lr=0.01)


def update(states, returns):
    for _ in range(5):  # step loop
        print("pass", time_ns(), flush=True)
        policy_optimizer.zero_grad()
        loss = -(policy(states).log_softmax(1)[:, 0] * returns).mean()
        loss.backward()
        policy_optimizer.step()
    for _ in range(6):
        value_optimizer.zero_grad()
        loss = (value(states).squeeze(1) - returns).square().mean()
        loss.backward()
        value_optimizer.step()


for epoch in range(40):
    update(torch.rand(20, 4), torch.rand(20))
