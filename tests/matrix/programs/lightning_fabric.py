"""Fabric prepares, the loop is the user's own."""

import lightning
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Classifier(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(128, 512)
        self.last = nn.Linear(512, 10)

    def forward(self, x):
        return self.last(torch.relu(self.first(x)))  # model


if __name__ == "__main__":
    fabric = lightning.Fabric(accelerator="cpu", devices=1)
    model = Classifier()
    model, optimizer = fabric.setup(model, torch.optim.SGD(model.parameters(), lr=0.1))
    rows, labels = torch.randn(256, 128), torch.randint(10, (256,))
    data = fabric.setup_dataloaders(DataLoader(TensorDataset(rows, labels), batch_size=64))
    updates = 0
    for _ in range(50):
        with torch.no_grad():
            model(rows)
            print("EVALUATED", flush=True)
        for x, y in data:  # loop
            loss = nn.functional.cross_entropy(model(x), y)  # model
            fabric.backward(loss)
            updates += 1
            print(f"TRUTH {updates}", flush=True)
            optimizer.step()  # optimizer
            optimizer.zero_grad()
