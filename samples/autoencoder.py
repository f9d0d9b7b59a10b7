"""Train a variational autoencoder on generated wave forms, with gradient accumulation.

Each optimizer step sums the gradients of several micro-batches, as one does where a whole batch
would not fit into the memory.
"""

import argparse

import torch
from torch import nn


def wave_forms(count: int, length: int, device: str) -> torch.Tensor:
    """Sums of two decaying sines with noise, (count, 1, length)."""
    time = torch.linspace(0, 1, length, device=device)
    frequency = 2 + 18 * torch.rand(count, 2, 1, device=device)
    phase = 6.2832 * torch.rand(count, 2, 1, device=device)
    decay = 3 * torch.rand(count, 2, 1, device=device)
    waves = torch.sin(6.2832 * frequency * time + phase) * torch.exp(-decay * time)
    return waves.sum(dim=1, keepdim=True) + 0.05 * torch.randn(count, 1, length, device=device)


class Encoder(nn.Module):
    def __init__(self, width: int, latent: int):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv1d(1, width, 7, stride=2, padding=3),
            nn.SiLU(),
            nn.Conv1d(width, 2 * width, 5, stride=2, padding=2),
            nn.SiLU(),
            nn.Conv1d(2 * width, 4 * width, 5, stride=2, padding=2),
            nn.SiLU(),
        )
        self.mean = nn.LazyLinear(latent)
        self.log_variance = nn.LazyLinear(latent)

    def forward(self, x):
        features = self.conv(x).flatten(1)
        return self.mean(features), self.log_variance(features)


class Decoder(nn.Module):
    def __init__(self, width: int, latent: int, length: int):
        super().__init__()
        self.shape = (4 * width, length // 8)
        self.expand = nn.Linear(latent, 4 * width * (length // 8))
        self.conv = nn.Sequential(
            nn.SiLU(),
            nn.ConvTranspose1d(4 * width, 2 * width, 4, stride=2, padding=1),
            nn.SiLU(),
            nn.ConvTranspose1d(2 * width, width, 4, stride=2, padding=1),
            nn.SiLU(),
            nn.ConvTranspose1d(width, 1, 4, stride=2, padding=1),
        )

    def forward(self, z):
        return self.conv(self.expand(z).unflatten(1, self.shape))


class VAE(nn.Module):
    def __init__(self, width: int, latent: int, length: int):
        super().__init__()
        self.encoder = Encoder(width, latent)
        self.decoder = Decoder(width, latent, length)

    def forward(self, x):
        mean, log_variance = self.encoder(x)
        z = mean + torch.randn_like(mean) * (0.5 * log_variance).exp()
        return self.decoder(z), mean, log_variance


def elbo(x, reconstruction, mean, log_variance, beta):
    error = (x - reconstruction).square().sum(dim=(1, 2)).mean()
    divergence = -0.5 * (1 + log_variance - mean.square() - log_variance.exp()).sum(dim=1).mean()
    return error + beta * divergence


def train(args):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = VAE(args.width, args.latent, args.length).to(device)
    model(wave_forms(2, args.length, device))  # lets the lazy layers find their sizes
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, fused=True)

    for step in range(args.steps):
        optimizer.zero_grad()
        total = torch.zeros((), device=device)
        for _ in range(args.accumulate):
            x = wave_forms(args.batch_size, args.length, device)
            reconstruction, mean, log_variance = model(x)
            loss = elbo(x, reconstruction, mean, log_variance, args.beta) / args.accumulate
            loss.backward()
            total += loss.detach()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        if step % 50 == 0:
            print(f"step {step:4d}  loss {total.item():.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=250)
    parser.add_argument("--batch-size", type=int, default=16, help="of one micro-batch")
    parser.add_argument("--accumulate", type=int, default=4)
    parser.add_argument("--length", type=int, default=256)
    parser.add_argument("--width", type=int, default=16)
    parser.add_argument("--latent", type=int, default=12)
    parser.add_argument("--beta", type=float, default=0.5)
    parser.add_argument("--lr", type=float, default=1e-3)
    train(parser.parse_args())
