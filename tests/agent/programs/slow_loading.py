"""A loader with more workers than cores, which it starts anew for each of its short epochs."""

import os

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __len__(self):
        return 48

    def __getitem__(self, index):
        return [float(index)] * 64


def collate(rows):
    total = 0.0
    for row in rows:
        total += sum(sorted(row * 2000))
    return torch.tensor(rows) + total


def main():
    model = nn.Sequential(nn.Linear(64, 1024), *(nn.Linear(1024, 1024) for _ in range(3)))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-9)
    loader = DataLoader(  # expect: too-many-workers  # expect: persistent-workers
        Rows(),
        batch_size=8,
        num_workers=len(os.sched_getaffinity(0)) + 1,
        collate_fn=collate,
    )
    for _ in range(1000):
        for x in loader:
            loss = model(x).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main()
