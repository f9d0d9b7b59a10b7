"""Train a small convolutional GAN on generated pictures of blobs."""

import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F


def parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--iterations", type=int, default=300)
    parser.add_argument("--batch-size", type=int, default=24)
    parser.add_argument("--latent", type=int, default=64)
    parser.add_argument("--width", type=int, default=12)
    parser.add_argument("--lr", type=float, default=2e-4)
    parser.add_argument("--seed", type=int, default=7)
    return parser.parse_args()


class Generator(nn.Module):
    """Noise (N, latent) to pictures (N, 1, 32, 32) in [-1, 1]."""

    def __init__(self, latent: int, width: int):
        super().__init__()
        self.project = nn.Linear(latent, 4 * width * 4 * 4)
        self.up = nn.Sequential(
            nn.BatchNorm2d(4 * width),
            nn.ReLU(inplace=True),
            nn.ConvTranspose2d(4 * width, 2 * width, 4, stride=2, padding=1, bias=False),
            nn.BatchNorm2d(2 * width),
            nn.ReLU(inplace=True),
            nn.ConvTranspose2d(2 * width, width, 4, stride=2, padding=1, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(inplace=True),
            nn.ConvTranspose2d(width, 1, 4, stride=2, padding=1),
            nn.Tanh(),
        )

    def forward(self, z: torch.Tensor) -> torch.Tensor:
        x = self.project(z)
        return self.up(x.unflatten(1, (-1, 4, 4)))


class Discriminator(nn.Module):
    """Pictures (N, 1, 32, 32) to logits (N,) of being real."""

    def __init__(self, width: int):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, width, 4, stride=2, padding=1),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(width, 2 * width, 4, stride=2, padding=1, bias=False),
            nn.BatchNorm2d(2 * width),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(2 * width, 4 * width, 4, stride=2, padding=1, bias=False),
            nn.BatchNorm2d(4 * width),
            nn.LeakyReLU(0.2, inplace=True),
        )
        self.head = nn.Conv2d(4 * width, 1, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.features(x)).flatten()


class BlobPictures:
    """An endless source of (N, 1, 32, 32) pictures: two Gaussian blobs on a dark ground."""

    def __init__(self, batch_size: int, device: torch.device):
        self.batch_size = batch_size
        axis = torch.linspace(-1, 1, 32, device=device)
        self.y, self.x = torch.meshgrid(axis, axis, indexing="ij")

    def __iter__(self):
        while True:
            centre = torch.rand(self.batch_size, 2, 2, 1, 1, device=self.x.device) * 1.2 - 0.6
            distance = (self.x - centre[:, :, 0]) ** 2 + (self.y - centre[:, :, 1]) ** 2
            blobs = torch.exp(-distance / 0.06).sum(dim=1, keepdim=True)
            yield blobs.clamp(0, 1) * 2 - 1


def bce(logits: torch.Tensor, target: float) -> torch.Tensor:
    return F.binary_cross_entropy_with_logits(logits, torch.full_like(logits, target))


def main() -> None:
    args = parse_args()
    torch.manual_seed(args.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    generator = Generator(args.latent, args.width).to(device)
    discriminator = Discriminator(args.width).to(device)
    settings = {"lr": args.lr, "betas": (0.5, 0.999), "fused": True}
    opt_g = torch.optim.Adam(generator.parameters(), **settings)
    opt_d = torch.optim.Adam(discriminator.parameters(), **settings)

    for i, real in enumerate(BlobPictures(args.batch_size, device)):
        if i == args.iterations:
            break
        noise = torch.randn(args.batch_size, args.latent, device=device)
        fake = generator(noise)

        # The discriminator learns first; the generator must get no gradient from it.
        loss_d = bce(discriminator(real), 0.9) + bce(discriminator(fake.detach()), 0.0)
        opt_d.zero_grad()
        loss_d.backward()
        opt_d.step()

        loss_g = bce(discriminator(fake), 1.0)
        opt_g.zero_grad()
        loss_g.backward()
        opt_g.step()

        if i % 50 == 0:
            print(f"{i:4d}  D {loss_d.item():.3f}  G {loss_g.item():.3f}")


if __name__ == "__main__":
    main()
