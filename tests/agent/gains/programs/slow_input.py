"""Reading a batch takes 12 ms, in which nothing is computed."""

import time

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __len__(self):
        return 4000

    def __getitem__(self, index):
        time.sleep(0.003)
        return torch.full((64,), index / 4000)


def steps():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 1024), *(nn.Linear(1024, 1024) for _ in range(3)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(Rows(), batch_size=4)  # expect: slow-input
    for x in loader:
        loss = (model(x) - 1).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss


if __name__ == "__main__":
    for _ in steps():
        pass
