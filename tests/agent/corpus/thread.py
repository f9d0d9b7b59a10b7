"""A second thread that computes beside the step: its operators belong to its own lines."""
# steps: optimizer; threads
import queue
import threading

import torch

w = torch.nn.Parameter(torch.rand(4, 15))
opt = torch.optim.SGD([w], lr=1e-3)
asked, answered = queue.Queue(), queue.Queue()


def prepare():
    while True:
        x = asked.get()
        y = x.erfc()  # plant: aten::erfc 4x15
        answered.put(y.lgamma())  # plant: aten::lgamma 4x15


def once(x):
    x.digamma()  # plant: aten::digamma 4x15


threading.Thread(target=prepare, daemon=True).start()
for step in range(60):  # loop
    opt.zero_grad()
    asked.put(torch.rand(4, 15))  # plant: aten::rand
    batch = answered.get()
    short = threading.Thread(target=once, args=(batch,))
    short.start()
    short.join()
    loss = (w * batch).sin().sum()  # plant: aten::sin 4x15  # backward: SinBackward0; SumBackward0; MulBackward0
    loss.backward()
    opt.step()  # plant: aten::add_ 4x15
