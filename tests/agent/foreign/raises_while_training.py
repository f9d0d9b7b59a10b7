"""Goes well for five steps, then a batch has another width."""
# fails: target-failed
# says: RuntimeError
# says: after 5 steps
# says: mat1 and mat2 shapes cannot be multiplied
import torch
from torch import nn

model = nn.Linear(6, 1)
for n in range(40):
    x = torch.rand(4, 6 if n < 5 else 7)
    loss = model(x).square().mean()  # fails here
    loss.backward()
    with torch.no_grad():
        for p in model.parameters():
            p -= 0.1 * p.grad
            p.grad = None
