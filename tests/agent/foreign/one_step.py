"""One step, and no second one to measure from."""
# fails: no-step
# says: ended after 1 step
# says: at least two
import torch

w = torch.rand(4, 4, requires_grad=True)
w.square().sum().backward()
with torch.no_grad():
    w -= 0.1 * w.grad
print("trained")
