"""A loop header and every statement over several lines."""
# steps: backward
from time import time_ns

import torch
from torch import nn

layers = nn.ModuleList(
    [
        nn.Linear(12, 12),
        nn.Linear(12, 12),
    ]
)
stream = [torch.rand(8, 12) for _ in range(20)]

for epoch in range(
    20,
):
    for number, inputs in enumerate(  # step loop
        stream,
        start=1,
    ):
        print(
            "pass",
            time_ns(),
            flush=True,
        )
        hidden = layers[1](
            torch.relu(
                layers[0](
                    inputs
                )
            )
        )
        loss = (
            hidden.square().mean()
            + 0.1
            * hidden.abs().mean()
        )
        loss.backward(
        )
        for p in layers.parameters(
        ):
            p.data.sub_(
                p.grad,
                alpha=0.01,
            )
            p.grad = None
