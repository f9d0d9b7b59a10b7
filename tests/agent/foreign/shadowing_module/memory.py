import torch

WHOSE = "the script's"


@torch.no_grad()
def update(w):
    w -= 0.1 * w.grad
    w.grad = None
