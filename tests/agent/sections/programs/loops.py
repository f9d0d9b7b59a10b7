"""Loops in Python over time, over experts and over the columns of a tensor."""

import torch
from torch import nn

WIDTH = 48


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(WIDTH, WIDTH)
        self.experts = nn.ModuleList(nn.Linear(WIDTH, WIDTH) for _ in range(24))

    def forward(self, x):
        state = torch.zeros(len(x), WIDTH)
        for time in range(x.shape[1]):  # expect: rnn-cell-loop
            state = self.cell(x[:, time], state)
        outputs = []
        for expert in self.experts:  # expect: small-matmul-loop
            outputs.append(expert(state).relu())
        return torch.stack(outputs)


torch.manual_seed(0)
model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
for _ in range(60):
    x = torch.randn(8, 16, WIDTH)
    scaled = x.clone()
    for column in range(WIDTH):  # expect: tensor-loop
        scaled[:, :, column] *= 1 + column
        scaled[:, :, column] += column
    loss = model(x).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
