"""A decoder that generates token by token with a cache of keys and values; several prompts."""
# steps: module
# flags: late
from time import time_ns

import torch
from torch import nn

VOCABULARY, WIDTH = 40, 16


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(VOCABULARY, WIDTH)
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.head = nn.Linear(WIDTH, VOCABULARY)

    def forward(self, tokens, cache=None):
        q, k, v = self.qkv(self.embed(tokens)).chunk(3, dim=-1)
        if cache is not None:
            k, v = torch.cat([cache[0], k], 1), torch.cat([cache[1], v], 1)
        attended = torch.softmax(q @ k.transpose(1, 2) / WIDTH**0.5, -1) @ v
        return self.head(attended[:, -1]), (k, v)


@torch.no_grad()
def generate(model, prompt, length):
    logits, cache = model(prompt)
    produced = []
    for _ in range(length):  # step loop
        print("pass", time_ns(), flush=True)
        token = torch.multinomial(logits.softmax(-1), 1)
        produced.append(token.item())
        logits, cache = model(token, cache)
    return produced


torch.manual_seed(1)
decoder = Decoder().eval()
for prompt in torch.randint(0, VOCABULARY, (6, 1, 5)):
    print(generate(decoder, prompt, 40))
