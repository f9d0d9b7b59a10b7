"""DistributedDataParallel in a group of one process."""
# steps: optimizer
import os
import tempfile
from time import time_ns

import torch
import torch.distributed as dist
from torch import nn

with tempfile.TemporaryDirectory() as folder:
    dist.init_process_group(
        "gloo", init_method=f"file://{os.path.join(folder, 'meet')}", rank=0, world_size=1
    )
    model = nn.parallel.DistributedDataParallel(nn.Linear(6, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for n in range(200):  # step loop
        print("pass", time_ns(), flush=True)
        optimizer.zero_grad()
        model(torch.rand(4, 6)).square().mean().backward()
        optimizer.step()
    dist.destroy_process_group()
