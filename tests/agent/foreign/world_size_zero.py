"""One process per GPU, and there are no GPUs: it ends well and has trained nothing."""
# fails: no-step
# says: GPU
# needs: no-cuda
import torch
import torch.multiprocessing as mp
from torch import nn


def run(rank, world_size):
    model = nn.Linear(6, 1).to(rank)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for n in range(100):
        optimizer.zero_grad()
        model(torch.rand(4, 6, device=rank)).square().mean().backward()
        optimizer.step()


if __name__ == "__main__":
    world_size = torch.cuda.device_count()
    mp.spawn(run, args=(world_size,), nprocs=world_size, join=True)
