"""A DataLoader with two worker processes: their operators are theirs, the step only waits."""
# steps: optimizer
import torch
from torch.utils.data import DataLoader, Dataset


class Points(Dataset):
    def __len__(self):
        return 300

    def __getitem__(self, index):
        x = torch.full((6,), float(index))
        return x.cos()


def collate(rows):
    batch = torch.stack(rows)
    return batch.atan()


w = torch.nn.Parameter(torch.rand(3, 6))
opt = torch.optim.SGD([w], lr=1e-3)
loader = DataLoader(Points(), batch_size=3, collate_fn=collate, num_workers=2)
for x in loader:  # loop
    opt.zero_grad()
    loss = (w * x).exp().sum()  # plant: aten::exp 3x6  # backward: ExpBackward0; MulBackward0; SumBackward0
    loss.backward()
    opt.step()  # plant: aten::add_ 3x6
