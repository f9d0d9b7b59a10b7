"""A critic that trains in every pass, a generator at every third: each pass is a step."""
# steps: optimizer
from time import time_ns

import torch
from torch import nn

generator = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 8))
critic = nn.Sequential(nn.Linear(8, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
generator_optimizer = torch.optim.RMSprop(generator.parameters(), lr=5e-5)
critic_optimizer = torch.optim.RMSprop(critic.parameters(), lr=5e-5)

for i in range(400):  # step loop
    print("pass", time_ns(), flush=True)
    real, noise = torch.rand(10, 8), torch.randn(10, 4)
    critic_optimizer.zero_grad()
    fake = generator(noise).detach()
    critic_loss = critic(fake).mean() - critic(real).mean()
    critic_loss.backward()
    critic_optimizer.step()
    for p in critic.parameters():
        p.data.clamp_(-0.01, 0.01)
    if i % 3 == 0:
        generator_optimizer.zero_grad()
        generator_loss = -critic(generator(noise)).mean()
        generator_loss.backward()
        generator_optimizer.step()
