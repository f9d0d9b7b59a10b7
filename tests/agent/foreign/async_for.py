"""``async for`` over a stream of batches."""
# steps: optimizer
import asyncio
from time import time_ns

import torch
from torch import nn


async def stream(count):
    for n in range(count):
        await asyncio.sleep(0)
        yield torch.rand(4, 6)


async def main():
    model = nn.Linear(6, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    async for x in stream(400):  # step loop
        print("pass", time_ns(), flush=True)
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()


asyncio.run(main())
