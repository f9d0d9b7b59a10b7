"""A graph network of PyG over one whole graph; the loop is the user's own."""

import torch
from torch import nn
from torch_geometric.data import Data
from torch_geometric.nn import GCNConv


class GraphNetwork(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = GCNConv(32, 64)
        self.last = GCNConv(64, 4)

    def forward(self, graph):
        hidden = torch.relu(self.first(graph.x, graph.edge_index))  # model
        return self.last(hidden, graph.edge_index)  # model


def train(model, optimizer, graph):
    model.train()
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(graph), graph.y)
    loss.backward()
    optimizer.step()  # optimizer


@torch.no_grad()
def test(model, graph):
    model.eval()
    model(graph)
    print("EVALUATED", flush=True)


if __name__ == "__main__":
    graph = Data(
        x=torch.randn(200, 32),
        edge_index=torch.randint(200, (2, 800)),
        y=torch.randint(4, (200,)),
    )
    model = GraphNetwork()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(1, 200):  # loop
        print(f"TRUTH {epoch}", flush=True)
        train(model, optimizer, graph)
        test(model, graph)
