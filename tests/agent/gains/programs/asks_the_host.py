"""What a GPU would be waited for, on a CPU: reading a number, and a type that is the host's."""

import torch
from torch import nn

device = torch.device("cpu")


def steps():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 1024), nn.ReLU(), nn.Linear(1024, 8)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.randn(64, 64, device=device)
    labels = torch.arange(64, dtype=torch.int32, device=device) % 8
    total = 0.0
    for _ in range(100_000):
        targets = labels.type(torch.LongTensor).to(device)  # expect-hint: type-round-trip
        loss = nn.functional.cross_entropy(model(x), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()  # expect-hint: sync-in-step
        yield loss


if __name__ == "__main__":
    for _ in steps():
        pass
