"""Fit a wide fully connected network to a generated table: almost nothing but matrix products."""

import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F


def parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=8192)
    parser.add_argument("--columns", type=int, default=64)
    parser.add_argument("--width", type=int, help="default: 384, on a GPU 8192")
    parser.add_argument("--batch-size", type=int, help="default: 256, on a GPU 4096")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--log-every", type=int, default=50)
    return parser.parse_args()


class Regressor(nn.Module):
    def __init__(self, columns: int, width: int):
        super().__init__()
        self.inputs = nn.Linear(columns, width)
        self.hidden = nn.ModuleList(nn.Linear(width, width) for _ in range(4))
        self.output = nn.Linear(width, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = F.silu(self.inputs(x))
        for layer in self.hidden:
            x = x + F.silu(layer(x))
        return self.output(x).squeeze(-1)


def make_table(rows: int, columns: int, device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    """Inputs (rows, columns) and a target (rows,) that depends on products of columns."""
    x = torch.randn(rows, columns, device=device)
    y = (x[:, 0::2] * x[:, 1::2]).sum(dim=1).tanh() + 0.1 * torch.randn(rows, device=device)
    return x, y


def main() -> None:
    args = parse_args()
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    width = args.width or (8192 if device.type == "cuda" else 384)
    batch_size = args.batch_size or (4096 if device.type == "cuda" else 256)

    x, y = make_table(args.rows, args.columns, device)
    model = Regressor(args.columns, width).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

    for step in range(args.steps):
        rows = torch.randint(0, args.rows, (batch_size,), device=device)
        predicted = model(x[rows])  # expect-cuda: autocast
        loss = F.mse_loss(predicted, y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % args.log_every == 0:
            print(f"step {step:4d}  loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
