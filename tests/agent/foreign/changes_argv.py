"""Takes its own options out of ``sys.argv`` and gives the rest to a parser."""
# steps: backward
# args: --fast --count 300 -- ignored
import argparse
import sys
from time import time_ns

import torch

assert sys.argv[1:] == ["--fast", "--count", "300", "--", "ignored"]
assert sys.argv[0].endswith("changes_argv.py")
fast = "--fast" in sys.argv and sys.argv.remove("--fast") is None
cut = sys.argv.index("--")
sys.argv[:] = [sys.argv[0], *sys.argv[1:cut]]
parser = argparse.ArgumentParser()
parser.add_argument("--count", type=int)
count = parser.parse_args().count
w = torch.rand(10, 10, requires_grad=True)
for n in range(count if fast else 0):  # step loop
    print("pass", time_ns(), flush=True)
    (w @ w).square().mean().backward()
    with torch.no_grad():
        w -= 0.01 * w.grad
        w.grad = None
