"""The usual script: arguments with defaults, a main guard, epochs over a DataLoader, a test per epoch."""
# steps: optimizer
# args: --epochs 30 --lr 0.05
import argparse
from time import time_ns

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def train(model, loader, optimizer, criterion):
    model.train()
    for batch_index, (inputs, labels) in enumerate(loader):  # step loop
        print("pass", time_ns(), flush=True)
        optimizer.zero_grad()
        loss = criterion(model(inputs), labels)
        loss.backward()
        optimizer.step()
        if batch_index % 5 == 0:
            print(f"batch {batch_index}: {loss.item():.4f}")


@torch.no_grad()
def test(model, loader):
    model.eval()
    correct = 0
    for inputs, labels in loader:
        correct += (model(inputs).argmax(1) == labels).sum().item()
    return correct


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--lr", type=float, default=0.1)
    args = parser.parse_args()
    assert args.epochs == 30
    data = TensorDataset(torch.rand(96, 12), torch.randint(0, 3, (96,)))
    train_loader = DataLoader(data, args.batch_size, shuffle=True)
    test_loader = DataLoader(data, 48)
    model = nn.Sequential(nn.Linear(12, 16), nn.ReLU(), nn.Linear(16, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        train(model, train_loader, optimizer, nn.CrossEntropyLoss())
        print(f"epoch {epoch}: {test(model, test_loader)} right")


if __name__ == "__main__":
    main()
