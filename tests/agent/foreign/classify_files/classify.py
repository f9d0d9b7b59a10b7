"""Reads pictures from a folder named relative to the working folder, one by one."""
# steps: module
# args: pictures
import glob
import os
import sys
from time import time_ns

import torch
from torch import nn


def read(path):
    with open(path, "rb") as file:
        header, pixels = file.read().split(b"\n", 1)
    assert header == b"P5 4 4 255"
    return torch.frombuffer(bytearray(pixels), dtype=torch.uint8).view(1, 1, 4, 4) / 255


def main(folder):
    model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(16, 3))
    model.requires_grad_(False).eval()
    paths = sorted(glob.glob(os.path.join(folder, "*.pgm")))
    assert paths, f"no pictures in {folder}"
    for path in paths * 20:  # step loop
        print("pass", time_ns(), flush=True)
        scores = model(read(path)).softmax(1)
        print(os.path.basename(path), scores.argmax().item())


if __name__ == "__main__":
    main(sys.argv[1])
