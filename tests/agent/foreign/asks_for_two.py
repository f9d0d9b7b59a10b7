"""Says that it wants two GPUs and returns."""
# fails: no-step
# says: GPU
# needs: no-cuda
import torch
from torch import nn


def main():
    if torch.cuda.device_count() < 2:
        print("This needs at least 2 GPUs, skipped")
        return
    model = nn.parallel.DataParallel(nn.Linear(6, 1).cuda())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for n in range(100):
        optimizer.zero_grad()
        model(torch.rand(8, 6).cuda()).square().mean().backward()
        optimizer.step()


main()
