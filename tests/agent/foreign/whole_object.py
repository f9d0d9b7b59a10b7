"""Loads a whole pickled object, which torch 2.6 and newer refuse by default."""
# fails: target-failed
# says: weights_only
import types

import torch

torch.save({"config": types.SimpleNamespace(width=6), "weights": torch.rand(6, 6)}, "new.pt")
state = torch.load("new.pt")  # fails here
w = state["weights"].requires_grad_()
for n in range(40):
    w.square().sum().backward()
