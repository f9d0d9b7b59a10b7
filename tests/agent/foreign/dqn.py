"""Replay and a target network: after a start without learning, every pass acts and then learns."""
# steps: backward
import random
from collections import deque
from time import time_ns

import torch
from torch import nn

LEARNING_STARTS, SYNC_EVERY = 40, 25


def network():
    return nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3))


online, target = network(), network()
target.load_state_dict(online.state_dict())
replay = deque(maxlen=200)
state = torch.rand(4)

for t in range(600):  # step loop
    if random.random() < max(0.05, 1 - t / 100):
        action = random.randrange(3)
    else:
        with torch.no_grad():
            action = online(state).argmax().item()
    following = (state + 0.1 * (action - 1)).clamp(0, 1)
    replay.append((state, action, following.sum().item(), following))
    state = following
    if t < LEARNING_STARTS:
        continue
    print("pass", time_ns(), flush=True)
    sample = random.sample(replay, 16)
    states, actions, rewards, nexts = zip(*sample)
    with torch.no_grad():
        best = target(torch.stack(nexts)).max(1).values
    values = online(torch.stack(states)).gather(1, torch.tensor(actions).unsqueeze(1)).squeeze(1)
    loss = nn.functional.smooth_l1_loss(values, torch.tensor(rewards) + 0.9 * best)
    loss.backward()
    with torch.no_grad():
        for p in online.parameters():
            p -= 0.01 * p.grad
            p.grad = None
    if t % SYNC_EVERY == 0:
        target.load_state_dict(online.state_dict())
