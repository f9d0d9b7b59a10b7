"""Train a small character-level GPT on the text of Python's own help topics."""

import argparse
import math
from pydoc_data.topics import topics

import torch
import torch.nn as nn
import torch.nn.functional as F


def parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--block-size", type=int, default=48)
    parser.add_argument("--width", type=int, default=96)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--warmup", type=int, default=50)
    parser.add_argument("--log-every", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1337)
    return parser.parse_args()


class CharData:
    """Random windows over a text, as (input, next character) pairs of index tensors."""

    def __init__(self, text: str, block_size: int, device: torch.device):
        self.chars = sorted(set(text))
        self.index = {c: i for i, c in enumerate(self.chars)}
        self.block_size = block_size
        self.data = torch.tensor([self.index[c] for c in text], dtype=torch.long, device=device)
        self.offsets = torch.arange(block_size + 1, device=device)

    def batch(self, size: int) -> tuple[torch.Tensor, torch.Tensor]:
        last = len(self.data) - self.block_size - 1
        starts = torch.randint(last, (size, 1), device=self.data.device)
        window = self.data[starts + self.offsets]
        return window[:, :-1], window[:, 1:]

    def decode(self, tokens: list[int]) -> str:
        return "".join(self.chars[t] for t in tokens)


class CausalSelfAttention(nn.Module):
    def __init__(self, width: int, heads: int, dropout: float):
        super().__init__()
        self.heads = heads
        self.dropout = dropout
        self.qkv = nn.Linear(width, 3 * width)
        self.proj = nn.Linear(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, time, width = x.shape
        q, k, v = self.qkv(x).split(width, dim=2)
        q = q.view(batch, time, self.heads, -1).transpose(1, 2)
        k = k.view(batch, time, self.heads, -1).transpose(1, 2)
        v = v.view(batch, time, self.heads, -1).transpose(1, 2)
        dropout = self.dropout if self.training else 0.0
        y = F.scaled_dot_product_attention(q, k, v, dropout_p=dropout, is_causal=True)
        y = y.transpose(1, 2).reshape(batch, time, width)
        return self.proj(y)


class Block(nn.Module):
    def __init__(self, width: int, heads: int, dropout: float):
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.attention = CausalSelfAttention(width, heads, dropout)
        self.norm2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(
            nn.Linear(width, 4 * width),
            nn.GELU(),
            nn.Linear(4 * width, width),
            nn.Dropout(dropout),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class CharGPT(nn.Module):
    def __init__(self, vocabulary: int, args: argparse.Namespace):
        super().__init__()
        self.block_size = args.block_size
        self.tokens = nn.Embedding(vocabulary, args.width)
        self.positions = nn.Parameter(torch.zeros(args.block_size, args.width))
        self.drop = nn.Dropout(args.dropout)
        self.blocks = nn.ModuleList(
            Block(args.width, args.heads, args.dropout) for _ in range(args.layers)
        )
        self.norm = nn.LayerNorm(args.width)
        self.head = nn.Linear(args.width, vocabulary, bias=False)
        self.apply(self._init)

    def _init(self, module: nn.Module) -> None:
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, std=0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)

    def forward(
        self, idx: torch.Tensor, targets: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        x = self.drop(self.tokens(idx) + self.positions[: idx.shape[1]])
        for block in self.blocks:
            x = block(x)
        logits = self.head(self.norm(x))
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten())

    @torch.no_grad()
    def generate(self, idx: torch.Tensor, length: int) -> torch.Tensor:
        for _ in range(length):
            logits, _ = self(idx[:, -self.block_size :])
            probabilities = F.softmax(logits[:, -1], dim=-1)
            idx = torch.cat([idx, torch.multinomial(probabilities, 1)], dim=1)
        return idx


def learning_rate(step: int, args: argparse.Namespace) -> float:
    """Linear warm-up, then a cosine down to a tenth."""
    if step < args.warmup:
        return args.lr * (step + 1) / args.warmup
    progress = (step - args.warmup) / max(1, args.steps - args.warmup)
    return args.lr * (0.1 + 0.45 * (1 + math.cos(math.pi * progress)))


def main() -> None:
    args = parse_args()
    torch.manual_seed(args.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    data = CharData("\n".join(topics.values()), args.block_size, device)
    model = CharGPT(len(data.chars), args).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=0.1, fused=True)
    parameters = sum(p.numel() for p in model.parameters())
    print(f"{len(data.data):,} characters, {parameters:,} parameters, on {device}")

    model.train()
    for step in range(args.steps):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(step, args)
        x, y = data.batch(args.batch_size)
        _, loss = model(x, y)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step % args.log_every == 0:
            print(f"step {step:4d}  loss {loss.item():.3f}")

    model.eval()
    prompt = torch.zeros((1, 1), dtype=torch.long, device=device)
    print(data.decode(model.generate(prompt, 200)[0].tolist()))


if __name__ == "__main__":
    main()
