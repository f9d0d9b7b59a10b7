"""Goes to its data's folder by ``os.chdir`` and reads and writes by relative names from there."""
# steps: backward
# existing: data/result.txt
import os
from time import time_ns

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "data"))

import torch

with open("numbers.txt") as file:
    numbers = torch.tensor([float(word) for word in file.read().split()])
w = torch.zeros(1, requires_grad=True)
for n in range(300):  # step loop
    print("pass", time_ns(), flush=True)
    loss = (w - numbers).square().mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        w.grad = None
    with open("result.txt", "w") as file:
        file.write(f"{w.item()}\n")
