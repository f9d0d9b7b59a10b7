"""On an interrupt or an ordinary error the weights are saved and then tested from the file."""
# steps: backward
# existing: interrupted.pt
from time import time_ns

import torch
from torch import nn

model = nn.Linear(6, 6)
try:
    for n in range(100_000):  # step loop
        print("pass", time_ns(), flush=True)
        model(torch.rand(4, 6)).square().mean().backward()
        with torch.no_grad():
            for p in model.parameters():
                p -= 0.01 * p.grad
                p.grad = None
except KeyboardInterrupt:
    print("interrupted, saving")
    torch.save(model.state_dict(), "interrupted.pt")
except Exception:
    torch.save(model.state_dict(), "interrupted.pt")
    raise
with torch.no_grad():
    model.load_state_dict(torch.load("interrupted.pt"))
    print("test", model(torch.rand(50, 6)).mean().item())
