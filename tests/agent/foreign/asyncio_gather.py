"""Training is a task among others; ``gather`` keeps whatever a task raises."""
# steps: backward
# flags: swallowed
import asyncio
from time import time_ns

import torch
from torch import nn


async def train(passes):
    model = nn.Linear(8, 4)
    for n in range(passes):  # step loop
        print("pass", time_ns(), flush=True)
        model(torch.rand(4, 8)).square().mean().backward()
        with torch.no_grad():
            for p in model.parameters():
                p -= 0.01 * p.grad
                p.grad = None
        await asyncio.sleep(0)


async def heartbeat(done):
    while not done.is_set():
        await asyncio.sleep(0.01)


async def main():
    done = asyncio.Event()
    other = asyncio.create_task(heartbeat(done))
    results = await asyncio.gather(train(3000), return_exceptions=True)
    done.set()
    await other
    print("results", results)


asyncio.run(main())
