"""Training runs in a thread, another one draws; the main thread waits for both."""
# steps: backward
import queue
import threading
from time import time_ns

import torch
from torch import nn

losses = queue.Queue()
finished = threading.Event()


def train():
    model = nn.Linear(8, 8)
    for n in range(2000):  # step loop
        print("pass", time_ns(), flush=True)
        loss = model(torch.rand(4, 8)).square().mean()
        loss.backward()
        with torch.no_grad():
            for p in model.parameters():
                p -= 0.01 * p.grad
                p.grad = None
        losses.put(loss.item())
    finished.set()


def draw():
    count = 0
    while not finished.is_set():
        try:
            losses.get(timeout=0.1)
        except queue.Empty:
            continue
        count += 1
    print("drawn", count)


threads = [threading.Thread(target=train, daemon=True), threading.Thread(target=draw, daemon=True)]
for thread in threads:
    thread.start()
finished.wait()
for thread in threads:
    thread.join()
