"""A training step that does everything beside the model that it should not."""

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 8)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
table = [[float(row + column) for column in range(64)] for row in range(512)]
log = open("train.log", "w")  # noqa: PTH123, SIM115


def noisy(x, big):
    copy = big.clone()  # expect: redundant-clone
    return x + copy.mean()


big = torch.randn(6_000_000)
kept_weights = torch.randn(1_000_000)
for _ in range(10_000):
    x = torch.tensor(table).to(device)  # expect: tensor-from-python
    y = model(noisy(x, big))
    mask = torch.zeros(512, 8).to(device)  # expect: cpu-made-tensor
    kept = y[y > mask]  # expect: data-dependent-shape
    kinds = y.argmax(1).type(torch.LongTensor).to(device)  # expect: type-round-trip
    loss = nn.functional.cross_entropy(y, kinds) + kept.mean()
    optimizer.zero_grad()
    loss.backward()
    if loss > 1e9:  # expect: tensor-as-bool
        break
    optimizer.step()
    first = loss.item()  # expect: many-item-reads
    second = y.max().item()
    third = y.min().item()
    torch.cuda.empty_cache()  # expect: empty-cache
    log.write(" ".join(map(str, x[:256].flatten().tolist())))  # expect: log-every-step
    torch.save(kept_weights, "latest.pt")  # expect: save-every-step
