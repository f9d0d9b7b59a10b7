"""Encoder and decoder called once per token, an optimizer each, teacher forcing by chance."""
# steps: optimizer
import random
from time import time_ns

import torch
from torch import nn

WIDTH, WORDS = 12, 15


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.cell = nn.Embedding(WORDS, WIDTH), nn.GRUCell(WIDTH, WIDTH)

    def forward(self, word, hidden):
        return self.cell(self.embed(word), hidden)


class Decoder(Encoder):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(WIDTH, WORDS)

    def forward(self, word, hidden):
        hidden = super().forward(word, hidden)
        return self.head(hidden), hidden


encoder, decoder = Encoder(), Decoder()
encoder_optimizer = torch.optim.SGD(encoder.parameters(), lr=0.1)
decoder_optimizer = torch.optim.SGD(decoder.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()


def train_pair(source, target):
    encoder_optimizer.zero_grad()
    decoder_optimizer.zero_grad()
    hidden = torch.zeros(1, WIDTH)
    for i in range(len(source)):
        hidden = encoder(source[i : i + 1], hidden)
    word, loss = torch.zeros(1, dtype=torch.long), 0
    forced = random.random() < 0.5
    for i in range(len(target)):
        scores, hidden = decoder(word, hidden)
        loss = loss + criterion(scores, target[i : i + 1])
        word = target[i : i + 1] if forced else scores.argmax(1)
    loss.backward()
    encoder_optimizer.step()
    decoder_optimizer.step()
    return loss.item() / len(target)


def train_iterations(count):
    for iteration in range(1, count + 1):  # step loop
        print("pass", time_ns(), flush=True)
        loss = train_pair(torch.randint(1, WORDS, (5,)), torch.randint(1, WORDS, (4,)))
        if iteration % 20 == 0:
            print(iteration, loss)


train_iterations(150)
