"""Score sentences with a small transformer encoder, batch by batch, without training it."""

import argparse
import math
from collections.abc import Iterator
from pydoc_data.topics import topics

import torch
import torch.nn as nn

PAD = 0


def parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batches", type=int, default=200)
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--max-length", type=int, default=64)
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--layers", type=int, default=3)
    return parser.parse_args()


class Encoder(nn.Module):
    """Byte ids (N, T), 0 where there is no byte, to one score per sentence (N,)."""

    def __init__(self, width: int, layers: int, max_length: int):
        super().__init__()
        self.embed = nn.Embedding(257, width, padding_idx=PAD)
        self.register_buffer("positions", sinusoids(max_length, width))
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(
                width, nhead=4, dim_feedforward=4 * width, batch_first=True, norm_first=True
            )
            for _ in range(layers)
        )
        self.score = nn.Linear(width, 1)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        padding = ids == PAD
        x = self.embed(ids) + self.positions[: ids.shape[1]]
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=padding)
        keep = (~padding).unsqueeze(-1)
        pooled = (x * keep).sum(dim=1) / keep.sum(dim=1)
        return self.score(pooled).squeeze(-1)


def sinusoids(length: int, width: int) -> torch.Tensor:
    position = torch.arange(length).unsqueeze(1)
    rate = torch.exp(torch.arange(0, width, 2) * (-math.log(10_000.0) / width))
    return torch.stack([torch.sin(position * rate), torch.cos(position * rate)], dim=-1).flatten(1)


def sentences() -> Iterator[str]:
    """Sentences of Python's help topics, over and over."""
    while True:
        for topic in topics.values():
            for sentence in " ".join(topic.split()).split(". "):
                if len(sentence) > 10:
                    yield sentence


def batches(size: int, max_length: int, device: torch.device) -> Iterator[torch.Tensor]:
    source = sentences()
    while True:
        texts = [next(source).encode()[:max_length] for _ in range(size)]
        longest = max(len(t) for t in texts)
        rows = [[byte + 1 for byte in t] + [PAD] * (longest - len(t)) for t in texts]
        yield torch.tensor(rows, device=device)


@torch.no_grad()
def main() -> None:
    args = parse_args()
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Encoder(args.width, args.layers, args.max_length).to(device).eval()

    best = float("-inf")
    for number, ids in enumerate(batches(args.batch_size, args.max_length, device)):
        if number == args.batches:
            break
        scores = model(ids)
        print(f"batch {number}: mean {scores.mean().item():+.4f}")  # expect-cuda: sync-in-step
        best = max(best, scores.max().item())  # expect-cuda: sync-in-step
    print(f"best score {best:+.4f}")


if __name__ == "__main__":
    main()
