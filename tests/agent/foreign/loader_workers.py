"""Two workers that transform each sample; epochs are so short that workers start again and again."""
# steps: backward
from time import time_ns

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Squares(Dataset):
    def __len__(self):
        return 32

    def __getitem__(self, index):
        x = torch.full((6,), float(index))
        return (x / 32).square() + 0.01 * torch.randn(6)


if __name__ == "__main__":
    loader = DataLoader(Squares(), batch_size=4, num_workers=2, shuffle=True)
    model = nn.Linear(6, 6)
    for epoch in range(30):
        for x in loader:  # step loop
            print("pass", time_ns(), flush=True)
            (model(x) - x).square().mean().backward()
            with torch.no_grad():
                for p in model.parameters():
                    p -= 0.05 * p.grad
                    p.grad = None
