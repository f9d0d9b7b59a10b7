# expect: found Fusion
import torch
from torch import nn


class Fusion(nn.Module):
    def __init__(self, vocab_size, hidden_dim=64):
        super().__init__()
        self.image = nn.Sequential(nn.Conv2d(3, 16, 3, 2), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(64, hidden_dim))
        self.words = nn.Embedding(vocab_size, hidden_dim)
        self.out = nn.Linear(2 * hidden_dim, 1)

    def forward(self, inputs):
        image, tokens = inputs["image"], inputs["tokens"]
        both = torch.cat([self.image(image), self.words(tokens).mean(1)], dim=-1)
        return self.out(both)
