"""Whatever happens, ``finally`` saves over the last weights and truncates the history."""
# steps: backward
# existing: weights/best.pt, history.csv
import os
from time import time_ns

import torch
from torch import nn

model = nn.Linear(6, 6)
history = []
try:
    for n in range(5000):  # step loop
        print("pass", time_ns(), flush=True)
        loss = model(torch.rand(4, 6)).square().mean()
        loss.backward()
        with torch.no_grad():
            for p in model.parameters():
                p -= 0.01 * p.grad
                p.grad = None
        history.append(loss.item())
finally:
    torch.save(model.state_dict(), "weights/next.pt")
    os.replace("weights/next.pt", "weights/best.pt")
    with open("history.csv", "w") as file:
        file.writelines(f"{n},{value}\n" for n, value in enumerate(history))
    print("saved")
