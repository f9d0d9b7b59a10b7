"""Meant to be started from the folder above with that folder on the path."""
# fails: usage | target-failed
# says: networks
import torch

from networks.small import Small  # fails here

model = Small()
for n in range(40):
    model(torch.rand(4, 6)).sum().backward()
