"""Short epochs: worker processes start in the middle of recordings, which are not theirs."""
# steps: optimizer; varying
import sys

import torch
from torch.utils.data import DataLoader, Dataset


class Points(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        x = torch.rand(6)
        watched = sys.gettrace() is not None
        if sys.version_info >= (3, 12):
            watched = any(sys.monitoring.get_tool(tool) == "stepscope" for tool in range(6))
        if watched:
            print("a worker is being recorded", flush=True)
        return x


w = torch.nn.Parameter(torch.rand(4, 6))
opt = torch.optim.SGD([w], lr=1e-3)
loader = DataLoader(Points(), batch_size=4, num_workers=1)
for epoch in range(30):
    for x in loader:  # loop
        opt.zero_grad()
        loss = (w * x).exp().sum()  # plant: aten::exp 4x6  # backward: ExpBackward0; MulBackward0; SumBackward0
        loss.backward()
        opt.step()  # plant: aten::add_ 4x6
