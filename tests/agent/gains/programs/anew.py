"""Six batches make an epoch, and each epoch starts its worker anew."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def steps():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 256))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    rows = TensorDataset(torch.randn(24, 64))
    loader = DataLoader(rows, batch_size=4, num_workers=1)  # expect: persistent-workers
    for _ in range(1000):
        for (x,) in loader:
            loss = (model(x) - 1).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            yield loss


if __name__ == "__main__":
    for _ in steps():
        pass
