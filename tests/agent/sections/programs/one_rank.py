"""DistributedDataParallel as one rank of one, with buckets beside its gradients."""

import tempfile

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

torch.manual_seed(0)
store = dist.FileStore(tempfile.mktemp(), 1)
if not dist.is_initialized():
    dist.init_process_group("gloo", store=store, rank=0, world_size=1)
layers = nn.Sequential(*(nn.Linear(512, 512) for _ in range(6)))
model = DistributedDataParallel(layers)  # expect: bucket-view
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
inputs = torch.randn(8, 512)


def step():
    loss = model(inputs).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.detach()


if __name__ == "__main__":
    for _ in range(60):
        step()
    dist.destroy_process_group()
