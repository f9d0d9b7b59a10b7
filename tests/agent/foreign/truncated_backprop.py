"""A recurrent model over long sequences in chunks; the state is detached between them."""
# steps: optimizer
from time import time_ns

import torch
from torch import nn

lstm, head = nn.LSTM(4, 12), nn.Linear(12, 4)
optimizer = torch.optim.SGD([*lstm.parameters(), *head.parameters()], lr=0.1)

for sequence in range(40):
    series = torch.rand(60, 3, 4)
    state = None
    for chunk in series.split(6):  # step loop
        print("pass", time_ns(), flush=True)
        if state is not None:
            state = tuple(part.detach() for part in state)
        output, state = lstm(chunk, state)
        loss = (head(output[:-1]) - chunk[1:]).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
