"""Reading and writing through indices, slices, masks and tables."""
# steps: optimizer
import torch

table = torch.nn.Parameter(torch.rand(17, 6))
rows = torch.tensor([1, 3, 5, 7])
opt = torch.optim.SGD([table], lr=1e-3)

for step in range(60):  # loop
    opt.zero_grad()
    a = table[rows]  # plant: aten::index 17x6  # backward: IndexBackward0
    b = a[:, 1:4]  # plant: aten::slice 4x6 *any  # backward: SliceBackward0
    c = torch.full((5, 3), 0.5)  # plant: aten::full
    c[1:] = b  # plant: aten::slice 5x3  # backward: torch::autograd::CopySlices
    d = c[2]  # plant: aten::select 5x3 *2  # backward: SelectBackward0
    e = d[d > 0.0]  # plant: aten::gt 3  # backward: IndexBackward0
    f = a.gather(1, rows[:, None] % 2)  # plant: aten::gather 4x6; aten::remainder 4x1  # backward: GatherBackward0
    loss = e.sum() + f.prod()  # plant: aten::prod 4x1  # backward: ProdBackward0; SumBackward0
    loss.backward()
    opt.step()  # plant: aten::add_ 17x6
