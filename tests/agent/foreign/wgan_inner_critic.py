"""Five critic updates in a loop of their own, with a gradient penalty, then one of the generator."""
# steps: optimizer
from time import time_ns

import torch
from torch import nn

CRITIC_UPDATES = 5
generator = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 8))
critic = nn.Sequential(nn.Linear(8, 16), nn.Softplus(), nn.Linear(16, 1))
generator_optimizer = torch.optim.SGD(generator.parameters(), lr=1e-3)
critic_optimizer = torch.optim.SGD(critic.parameters(), lr=1e-3)


def penalty(real, fake):
    mixed = torch.lerp(real, fake, torch.rand(len(real), 1)).requires_grad_()
    (slope,) = torch.autograd.grad(critic(mixed).sum(), mixed, create_graph=True)
    return (slope.norm(dim=1) - 1).square().mean()


for iteration in range(200):  # step loop
    print("pass", time_ns(), flush=True)
    for _ in range(CRITIC_UPDATES):
        real = torch.rand(10, 8)
        fake = generator(torch.randn(10, 4)).detach()
        critic_optimizer.zero_grad()
        loss = critic(fake).mean() - critic(real).mean() + 10 * penalty(real, fake)
        loss.backward()
        critic_optimizer.step()
    generator_optimizer.zero_grad()
    loss = -critic(generator(torch.randn(10, 4))).mean()
    loss.backward()
    generator_optimizer.step()
