"""Every eighth batch takes 90 ms to read, more than two batches ahead can hide."""

import time

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __len__(self):
        return 40_000

    def __getitem__(self, index):
        if index % 32 == 0:
            time.sleep(0.09)
        return torch.full((64,), index / 40_000)


def steps():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 1024), nn.ReLU(), nn.Linear(1024, 1024))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(Rows(), batch_size=4, num_workers=1)  # expect: short-prefetch
    for x in loader:
        until = time.perf_counter() + 0.02
        while time.perf_counter() < until:
            loss = (model(x) - 1).square().mean()
        optimizer.zero_grad()
        loss.backward()
        yield loss


if __name__ == "__main__":
    for _ in steps():
        pass
