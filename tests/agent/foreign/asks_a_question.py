"""Asks before it overwrites, and nobody answers."""
# fails: target-failed
# says: nobody to give one
# existing: out.txt
import os

import torch

if os.path.exists("out.txt") and input("overwrite out.txt? ") != "y":  # fails here
    raise SystemExit(1)
for n in range(40):
    torch.rand(3, requires_grad=True).sum().backward()
