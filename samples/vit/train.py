"""Train the vision transformer of ``model.py`` to tell the direction of generated gratings."""

import argparse
import math

import torch
import torch.nn.functional as F
from model import VisionTransformer
from torch.utils.data import DataLoader, TensorDataset


def gratings(count: int, classes: int, size: int = 32) -> TensorDataset:
    """Coloured gratings (count, 3, size, size), each turned by its class's angle."""
    labels = torch.arange(count) % classes
    angle = (labels * (math.pi / classes)).view(-1, 1, 1)
    axis = torch.linspace(-1, 1, size)
    y, x = torch.meshgrid(axis, axis, indexing="ij")
    frequency = 6 + 6 * torch.rand(count, 1, 1)
    phase = 2 * math.pi * torch.rand(count, 1, 1)
    waves = torch.sin(frequency * (x * angle.cos() + y * angle.sin()) + phase)
    images = waves.unsqueeze(1) * torch.rand(count, 3, 1, 1)
    return TensorDataset(images + 0.5 * torch.randn_like(images), labels)


class Trainer:
    def __init__(self, args: argparse.Namespace):
        self.args = args
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = VisionTransformer(width=args.width, depth=args.depth, classes=args.classes)
        self.model.to(self.device)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=args.lr, fused=True)
        self.loader = DataLoader(
            gratings(args.images, args.classes), batch_size=args.batch_size, shuffle=True
        )

    def train_step(self, images: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        logits = self.model(images.to(self.device))
        loss = F.cross_entropy(logits, labels.to(self.device))
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.detach()

    def fit(self) -> None:
        for epoch in range(self.args.epochs):
            losses = []
            for images, labels in self.loader:
                losses.append(self.train_step(images, labels))
            print(f"epoch {epoch}  loss {torch.stack(losses).mean().item():.3f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--images", type=int, default=2048)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--classes", type=int, default=8)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--depth", type=int, default=4)
    parser.add_argument("--lr", type=float, default=1e-3)
    torch.manual_seed(0)
    Trainer(parser.parse_args()).fit()
