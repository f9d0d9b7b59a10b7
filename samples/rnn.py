"""Train a character GRU whose cells are stepped through time in Python.

The text is the Zen of Python and Python's help topics; nothing is downloaded.
"""

import argparse
import codecs
import contextlib
import io
from pydoc_data.topics import topics

import torch
import torch.nn as nn
import torch.nn.functional as F

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--steps", type=int, default=300)
parser.add_argument("--batch-size", type=int, default=16)
parser.add_argument("--length", type=int, default=32, help="characters per step of training")
parser.add_argument("--hidden", type=int, default=96)
parser.add_argument("--layers", type=int, default=2)
parser.add_argument("--lr", type=float, default=3e-3)
args = parser.parse_args()


class CharGRU(nn.Module):
    def __init__(self, vocabulary: int, hidden: int, layers: int):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, hidden)
        self.cells = nn.ModuleList(nn.GRUCell(hidden, hidden) for _ in range(layers))
        self.out = nn.Linear(hidden, vocabulary)

    def forward(self, tokens, states):
        """Tokens (N, T) and one state (N, hidden) per layer to logits (N, T, V) and states."""
        outputs = []
        for x in self.embed(tokens).unbind(dim=1):  # expect: rnn-cell-loop
            for layer, cell in enumerate(self.cells):
                x = states[layer] = cell(x, states[layer])
            outputs.append(x)
        return self.out(torch.stack(outputs, dim=1)), states


with contextlib.redirect_stdout(io.StringIO()):
    import this  # prints when it is imported

text = codecs.decode(this.s, "rot13") + "\n".join(topics.values())
chars = sorted(set(text))
index = {c: i for i, c in enumerate(chars)}

device = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
data = torch.tensor([index[c] for c in text], device=device)
rows = data[: len(data) // args.batch_size * args.batch_size].view(args.batch_size, -1)

model = CharGRU(len(chars), args.hidden, args.layers).to(device)
optimizer = torch.optim.RMSprop(model.parameters(), lr=args.lr)

states = [torch.zeros(args.batch_size, args.hidden, device=device) for _ in range(args.layers)]
running = 0.0
for step in range(args.steps):
    start = step * args.length % (rows.shape[1] - args.length - 1)
    inputs = rows[:, start : start + args.length]
    targets = rows[:, start + 1 : start + args.length + 1]

    # The text goes on in the next step, its gradient does not.
    states = [s.detach() for s in states]
    logits, states = model(inputs, states)
    loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())

    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_value_(model.parameters(), 1.0)
    optimizer.step()

    running += loss.item()  # expect-cuda: sync-in-step
    if (step + 1) % 50 == 0:
        print(f"step {step + 1:4d}  mean loss {running / 50:.3f}")
        running = 0.0
