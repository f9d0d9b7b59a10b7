"""A graph network on its whole graph: one update per epoch, a test in every epoch."""
# steps: optimizer
from time import time_ns

import torch
from torch import nn

NODES = 40
adjacency = (torch.rand(NODES, NODES) < 0.1).float() + torch.eye(NODES)
adjacency = adjacency / adjacency.sum(1, keepdim=True)
features, labels = torch.rand(NODES, 8), torch.randint(0, 3, (NODES,))
train_mask = torch.rand(NODES) < 0.6


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(8, 16), nn.Linear(16, 3)

    def forward(self, x):
        x = nn.functional.dropout((adjacency @ self.first(x)).relu(), training=self.training)
        return adjacency @ self.second(x)


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)


def train():
    model.train()
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(features)[train_mask], labels[train_mask])
    loss.backward()
    optimizer.step()
    return loss.item()


@torch.no_grad()
def test():
    model.eval()
    right = model(features).argmax(1) == labels
    return right[train_mask].float().mean().item(), right[~train_mask].float().mean().item()


for epoch in range(1, 201):  # step loop
    print("pass", time_ns(), flush=True)
    loss = train()
    if epoch % 2 == 0:
        print(epoch, loss, *test())
