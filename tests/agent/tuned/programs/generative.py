"""Two optimizers, accumulation, averages of weights: the variant is the first argument."""

import sys

import torch
import torch.nn.functional as F
from torch import nn

VARIANT = sys.argv[1]
WIDTH = 256


def network(inputs, outputs):
    return nn.Sequential(
        nn.Linear(inputs, WIDTH),
        nn.SiLU(),
        nn.Linear(WIDTH, WIDTH),
        nn.SiLU(),
        nn.Linear(WIDTH, outputs),
    )


def adversarial():
    generator, critic = network(32, 64), network(64, 1)
    first = torch.optim.Adam(generator.parameters(), lr=1e-4, fused=True)
    second = torch.optim.Adam(critic.parameters(), lr=1e-4, fused=True)
    for _ in range(60):
        real = torch.randn(256, 64)
        fake = generator(torch.randn(256, 32))
        loss = critic(fake.detach()).mean() - critic(real).mean()
        second.zero_grad()
        loss.backward()
        second.step()
        loss = -critic(fake).mean()
        first.zero_grad()
        loss.backward()
        first.step()


def autoencoder():
    encoder, decoder = network(64, 32), network(16, 64)
    parameters = [*encoder.parameters(), *decoder.parameters()]
    optimizer = torch.optim.AdamW(parameters, lr=1e-3, fused=True)
    for _ in range(60):
        x = torch.randn(384, 64)
        mean, spread = encoder(x).chunk(2, dim=1)
        z = mean + torch.randn_like(mean) * spread.exp()
        loss = F.mse_loss(decoder(z), x) + 0.1 * (mean.square() + spread.square()).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def accumulated():
    model = network(64, 10)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    for _ in range(60):
        optimizer.zero_grad()
        for _ in range(4):
            loss = F.cross_entropy(model(torch.randn(128, 64)), torch.randint(10, (128,))) / 4
            loss.backward()
        optimizer.step()


def averaged():
    model, teacher = network(64, 64), network(64, 64)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    mine, theirs = list(model.parameters()), list(teacher.parameters())
    for _ in range(60):
        x = torch.randn(384, 64)
        with torch.no_grad():
            goal = teacher(x)
        loss = F.mse_loss(model(x), goal)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            torch._foreach_lerp_(theirs, mine, 0.01)


{
    "adversarial": adversarial,
    "autoencoder": autoencoder,
    "accumulated": accumulated,
    "averaged": averaged,
}[VARIANT]()
