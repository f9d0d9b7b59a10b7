"""Takes the size of the terminal, and there is none."""
# fails: target-failed
# says: terminal
import os

import torch

columns = os.get_terminal_size().columns  # fails here
print("=" * columns)
torch.rand(3, requires_grad=True).sum().backward()
