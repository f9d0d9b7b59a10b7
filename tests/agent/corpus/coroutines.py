"""Coroutines: work before and after an await, in a training loop that is one itself."""
# steps: optimizer
import asyncio

import torch

w = torch.nn.Parameter(torch.rand(7, 9))
opt = torch.optim.SGD([w], lr=1e-3)


async def fetch():
    x = torch.rand(7, 9)  # plant: aten::rand
    await asyncio.sleep(0)
    return x.round()  # plant: aten::round 7x9


async def numbers():
    for number in range(60):
        await asyncio.sleep(0)
        yield torch.full((3,), float(number)).cosh()  # plant: aten::full; aten::cosh 3


async def train():
    async for number in numbers():  # loop
        opt.zero_grad()
        out = (await fetch()).sign() * w  # plant: aten::sign 7x9; aten::mul 7x9 *2  # backward: MulBackward0
        loss = out.tanh().sum()  # plant: aten::tanh 7x9  # backward: TanhBackward0; SumBackward0
        loss.backward()
        opt.step()  # plant: aten::add_ 7x9


asyncio.run(train())
