"""Two models take turns: even passes train one, odd passes the other."""
# steps: optimizer
from time import time_ns

import torch
from torch import nn

encoder, decoder = nn.Linear(10, 4), nn.Linear(4, 10)
optimizers = {
    "encoder": torch.optim.SGD(encoder.parameters(), lr=0.1),
    "decoder": torch.optim.SGD(decoder.parameters(), lr=0.1),
}
for n in range(400):  # step loop
    print("pass", time_ns(), flush=True)
    x = torch.rand(8, 10)
    loss = (decoder(encoder(x)) - x).square().mean()
    for optimizer in optimizers.values():
        optimizer.zero_grad()
    loss.backward()
    if n % 2 == 0:
        optimizers["encoder"].step()
    else:
        optimizers["decoder"].step()
