"""Modules beside the script with names of the standard library and of a profiler's own files."""
# steps: backward
from time import time_ns

import memory
import statistics
import torch

assert statistics.WHOSE == memory.WHOSE == "the script's", (statistics.__file__, memory.__file__)
w = torch.rand(6, 6, requires_grad=True)
for n in range(300):  # step loop
    print("pass", time_ns(), flush=True)
    loss = statistics.spread(w @ torch.rand(6, 4))
    loss.backward()
    memory.update(w)
