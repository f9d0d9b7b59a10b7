"""Reads its rank from the environment, where torchrun would have put it."""
# fails: target-failed
# says: torchrun
import os

import torch
import torch.distributed as dist
from torch import nn


def main():
    rank = int(os.environ["LOCAL_RANK"])  # fails here
    dist.init_process_group("gloo")
    model = nn.parallel.DistributedDataParallel(nn.Linear(6, 1))
    for n in range(100):
        model(torch.rand(4, 6)).square().mean().backward()
    print("rank", rank)


if __name__ == "__main__":
    main()
