"""Cannot start without arguments."""
# fails: target-failed
# says: --data
# says: argument
import argparse

import torch

parser = argparse.ArgumentParser(description="Train on a folder of pictures.")
parser.add_argument("--data", required=True, help="folder with the pictures")
parser.add_argument("--epochs", type=int, default=3)
args = parser.parse_args()  # fails here
for epoch in range(args.epochs):
    torch.rand(3, requires_grad=True).sum().backward()
