"""Two spawned loader workers at the top level: each worker runs the whole file again and fails."""

# fails: target-failed
# says: outside `if __name__ == "__main__":`
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.rand(64, 6))
loader = DataLoader(data, batch_size=4, num_workers=2, multiprocessing_context="spawn")
model = nn.Linear(6, 6)
for (x,) in loader:  # fails here
    model(x).square().mean().backward()
