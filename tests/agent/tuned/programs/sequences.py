"""Recurrent and convolutional models of sequences: the variant is the first argument."""

import sys

import torch
import torch.nn.functional as F
from torch import nn

VARIANT = sys.argv[1]
WIDTH = 96


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(60, WIDTH)
        if VARIANT == "convolution":
            self.body = nn.Conv1d(WIDTH, WIDTH, 5, padding=2)
        else:
            self.body = {"gru": nn.GRU, "lstm": nn.LSTM}[VARIANT](WIDTH, WIDTH, batch_first=True)
        self.out = nn.Linear(WIDTH, 60)

    def forward(self, tokens):
        x = self.embed(tokens)
        if VARIANT == "convolution":
            x = F.relu(self.body(x.transpose(1, 2))).transpose(1, 2)
        else:
            x, _ = self.body(x)
        return self.out(x)


model = Model()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True)
for _ in range(60):
    tokens = torch.randint(60, (16, 33))
    logits = model(tokens[:, :-1])
    loss = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
