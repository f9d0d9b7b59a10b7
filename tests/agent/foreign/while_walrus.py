"""The batch is fetched in the loop's own condition; bad batches are passed over with ``continue``."""
# steps: backward
from collections import deque
from time import time_ns

import torch
from torch import nn

torch.manual_seed(3)
waiting = deque(torch.rand(4, 10) * (float("nan") if n % 4 == 3 else 1.0) for n in range(500))
model = nn.Linear(10, 10)


def fetch():
    return waiting.popleft() if waiting else None


while (batch := fetch()) is not None:  # step loop
    if batch.isnan().any():
        continue
    print("pass", time_ns(), flush=True)
    loss = model(batch).logsumexp(1).mean()
    loss.backward()
    with torch.no_grad():
        for p in model.parameters():
            p -= 0.01 * p.grad
            p.grad = None
else:
    print("all read")
