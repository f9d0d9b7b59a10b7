"""Classify generated pictures of shapes with a small residual CNN.

The pictures are drawn once, packed like image files on a disk, and unpacked and augmented
each time that they are read.
"""

import argparse
import math
import random
import zlib

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

SIZE = 40  # pixels, as drawn
CROP = 32  # pixels, as trained on
CLASSES = ("disc", "square", "ring", "cross", "stripes", "checks")


def parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--images", type=int, default=1920)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--width", type=int, default=16)
    parser.add_argument("--lr", type=float, default=0.05)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def draw(label: int, generator: torch.Generator) -> torch.Tensor:
    """One picture of the class: (3, SIZE, SIZE), uint8."""
    axis = torch.linspace(-1, 1, SIZE)
    y, x = torch.meshgrid(axis, axis, indexing="ij")
    dx, dy, radius = (torch.rand(3, generator=generator) * 0.5).tolist()
    x, y, radius = x + dx - 0.25, y + dy - 0.25, radius + 0.35
    distance = (x * x + y * y).sqrt()
    name = CLASSES[label]
    if name == "disc":
        mask = distance < radius
    elif name == "square":
        mask = (x.abs() < radius) & (y.abs() < radius)
    elif name == "ring":
        mask = (distance < radius) & (distance > 0.6 * radius)
    elif name == "cross":
        mask = (x.abs() < 0.3 * radius) | (y.abs() < 0.3 * radius)
    elif name == "stripes":
        mask = torch.sin(x * math.pi * 4 / radius) > 0
    else:
        mask = (torch.sin(x * math.pi * 3 / radius) > 0) ^ (torch.sin(y * math.pi * 3 / radius) > 0)
    ink, paper = torch.rand(2, 3, 1, 1, generator=generator)
    picture = torch.where(mask, ink, paper) + 0.1 * torch.randn(3, SIZE, SIZE, generator=generator)
    return (picture.clamp(0, 1) * 255).to(torch.uint8)


def pack(picture: torch.Tensor) -> bytes:
    """Each row as its difference from the row above, deflated, as PNG does."""
    rows = picture.permute(1, 2, 0).reshape(SIZE, -1).to(torch.int16)
    rows[1:] -= rows[:-1].clone()
    return zlib.compress(bytes((rows % 256).flatten().tolist()))


def unpack(data: bytes) -> torch.Tensor:
    """The opposite of :func:`pack`: (3, SIZE, SIZE), float32 in [0, 1]."""
    raw = bytearray(zlib.decompress(data))
    rows = torch.frombuffer(raw, dtype=torch.uint8).view(SIZE, SIZE * 3)
    # Each row is the sum of the differences so far, in 8 bits.
    rows = rows.cumsum(dim=0).remainder(256)
    return rows.view(SIZE, SIZE, 3).permute(2, 0, 1).to(torch.float32) / 255


class ShapePictures(Dataset):
    def __init__(self, count: int, seed: int, augment: bool):
        generator = torch.Generator().manual_seed(seed)
        self.labels = [i % len(CLASSES) for i in range(count)]
        self.files = [pack(draw(label, generator)) for label in self.labels]
        self.augment = augment

    def __len__(self) -> int:
        return len(self.files)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        picture = unpack(self.files[index])
        if self.augment:
            picture = self.random_crop(picture)
            picture = self.colour_jitter(picture)
            picture = self.blur(picture)
            picture = self.random_erase(picture)
        else:
            edge = (SIZE - CROP) // 2
            picture = picture[:, edge : edge + CROP, edge : edge + CROP]
        return (picture - 0.5) / 0.25, self.labels[index]

    @staticmethod
    def random_crop(picture: torch.Tensor) -> torch.Tensor:
        angle = random.uniform(-0.3, 0.3)
        scale = random.uniform(0.8, 1.0)
        flip = random.choice((-1.0, 1.0))
        cos, sin = math.cos(angle) * scale, math.sin(angle) * scale
        matrix = torch.tensor([[[flip * cos, -sin, 0.0], [flip * sin, cos, 0.0]]])
        grid = F.affine_grid(matrix, [1, 3, CROP, CROP], align_corners=False)
        return F.grid_sample(picture[None], grid, mode="bilinear", align_corners=False)[0]

    @staticmethod
    def colour_jitter(picture: torch.Tensor) -> torch.Tensor:
        picture = picture * random.uniform(0.7, 1.3)
        mean = picture.mean()
        picture = (picture - mean) * random.uniform(0.7, 1.3) + mean
        grey = picture.mean(dim=0, keepdim=True)
        picture = grey + (picture - grey) * random.uniform(0.5, 1.5)
        gamma = random.uniform(0.8, 1.25)
        return picture.clamp(1e-3, 1) ** gamma

    @staticmethod
    def blur(picture: torch.Tensor) -> torch.Tensor:
        sigma = random.uniform(0.1, 1.2)
        offsets = torch.arange(-2, 3, dtype=torch.float32)
        kernel = torch.exp(-offsets.square() / (2 * sigma * sigma))
        kernel = (kernel / kernel.sum()).expand(3, 1, 1, 5)
        picture = F.conv2d(picture[None], kernel, padding=(0, 2), groups=3)
        return F.conv2d(picture, kernel.transpose(2, 3), padding=(2, 0), groups=3)[0]

    @staticmethod
    def random_erase(picture: torch.Tensor) -> torch.Tensor:
        side = random.randint(4, 12)
        top, left = random.randint(0, CROP - side), random.randint(0, CROP - side)
        picture[:, top : top + side, left : left + side] = torch.rand(3, side, side)
        return picture


class Residual(nn.Module):
    def __init__(self, inputs: int, outputs: int, stride: int = 1):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride=stride, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(outputs)
        self.skip = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.skip = nn.Conv2d(inputs, outputs, 1, stride=stride, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = F.relu(self.norm1(self.conv1(x)))
        y = self.norm2(self.conv2(y))
        return F.relu(y + self.skip(x))


class SmallResNet(nn.Module):
    def __init__(self, width: int, classes: int):
        super().__init__()
        self.stem = nn.Conv2d(3, width, 5, stride=2, padding=2)
        self.stages = nn.Sequential(
            Residual(width, width, stride=2),
            Residual(width, 2 * width, stride=2),
            Residual(2 * width, 4 * width, stride=2),
        )
        self.head = nn.Linear(4 * width, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.stages(F.relu(self.stem(x)))
        return self.head(x.mean(dim=(2, 3)))


def evaluate(model: nn.Module, loader: DataLoader, device: torch.device) -> float:
    model.eval()
    correct = torch.zeros((), device=device)
    total = 0
    with torch.no_grad():
        for images, labels in loader:
            predicted = model(images.to(device)).argmax(dim=1)
            correct += (predicted == labels.to(device)).sum()
            total += len(labels)
    return correct.item() / total


def main() -> None:
    args = parse_args()
    random.seed(args.seed)
    torch.manual_seed(args.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    train_set = ShapePictures(args.images, args.seed, augment=True)
    test_set = ShapePictures(args.images // 6, args.seed + 1, augment=False)
    train_loader = DataLoader(  # expect: slow-input
        train_set,
        batch_size=args.batch_size,
        shuffle=True,
        num_workers=0,  # the pictures are small
        drop_last=True,
    )
    test_loader = DataLoader(test_set, batch_size=128)

    model = SmallResNet(args.width, len(CLASSES)).to(device)
    optimizer = torch.optim.SGD(
        model.parameters(), lr=args.lr, momentum=0.9, weight_decay=5e-4, nesterov=True
    )
    scheduler = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, max_lr=args.lr, total_steps=args.epochs * len(train_loader)
    )

    for epoch in range(args.epochs):
        model.train()
        total_loss = torch.zeros((), device=device)
        for images, labels in train_loader:
            images = images.to(device)
            labels = labels.to(device)
            outputs = model(images)
            loss = F.cross_entropy(outputs, labels, label_smoothing=0.1)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            scheduler.step()
            total_loss += loss.detach()
        accuracy = evaluate(model, test_loader, device)
        mean_loss = total_loss.item() / len(train_loader)
        print(f"epoch {epoch}  loss {mean_loss:.3f}  test accuracy {accuracy:.1%}")


if __name__ == "__main__":
    main()
