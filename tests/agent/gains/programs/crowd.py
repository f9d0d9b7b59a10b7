"""Sixteen workers make batches, on a machine with fewer cores."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __len__(self):
        return 40_000

    def __getitem__(self, index):
        total = sum(range(60_000))
        return torch.full((64,), index / 40_000) + total * 1e-30


def steps():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 1024), *(nn.Linear(1024, 1024) for _ in range(3)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(Rows(), batch_size=4, num_workers=16)  # expect: too-many-workers
    for x in loader:
        loss = (model(x) - 1).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss


if __name__ == "__main__":
    for _ in steps():
        pass
