"""A folder for this run by date, the arguments written over those of the last run, old runs deleted."""
# steps: backward
# args: --name try
# existing: runs/latest/log.txt, runs/latest/deep/weights.bin, args.json
import argparse
import datetime
import json
import pathlib
import shutil
from time import time_ns

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--name", default="run")
args = parser.parse_args()
runs = pathlib.Path("runs")
shutil.rmtree(runs / "latest", ignore_errors=True)
(runs / "latest").mkdir()
(runs / "latest" / "log.txt").write_text("begun\n")
dated = runs / f"{args.name}-{datetime.datetime.now():%Y%m%d-%H%M%S}"
dated.mkdir(parents=True)
pathlib.Path("args.json").write_text(json.dumps(vars(args)))

model = nn.Linear(6, 6)
for step in range(300):  # step loop
    print("pass", time_ns(), flush=True)
    model(torch.rand(4, 6)).square().mean().backward()
    with torch.no_grad():
        for p in model.parameters():
            p -= 0.01 * p.grad
            p.grad = None
    if step == 0:
        (dated / "first.txt").write_text("step 0\n")
