"""The loop is here; forward, backward and update are in a helper module."""
# steps: backward
from time import time_ns

import helpers
import torch
from torch import nn

model = nn.Linear(8, 1)
for epoch in range(50):
    for batch in torch.rand(10, 4, 8):  # step loop
        print("pass", time_ns(), flush=True)
        helpers.train_on(model, batch)
    helpers.evaluate(model, torch.rand(2, 4, 8))
