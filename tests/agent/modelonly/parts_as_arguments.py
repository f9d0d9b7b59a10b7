# expect: found EncoderDecoder
import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, in_channels: int = 3, width: int = 32):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(in_channels, width, 3, 2, 1), nn.ReLU())

    def forward(self, x):
        return self.net(x)


class Decoder(nn.Module):
    def __init__(self, width: int = 32, num_classes: int = 4):
        super().__init__()
        self.net = nn.ConvTranspose2d(width, num_classes, 2, 2)

    def forward(self, x):
        return self.net(x)


class EncoderDecoder(nn.Module):
    def __init__(self, encoder: Encoder, decoder: Decoder):
        super().__init__()
        self.encoder, self.decoder = encoder, decoder

    def forward(self, images):
        return self.decoder(self.encoder(images))
