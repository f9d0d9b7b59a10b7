# expect: found MLPMixer
import torch.nn as nn


class MixerBlock(nn.Module):
    def __init__(self, tokens, dim, token_dim, channel_dim):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.token_mix = nn.Sequential(nn.Linear(tokens, token_dim), nn.GELU(), nn.Linear(token_dim, tokens))
        self.channel_mix = nn.Sequential(nn.Linear(dim, channel_dim), nn.GELU(), nn.Linear(channel_dim, dim))

    def forward(self, x):
        x = x + self.token_mix(self.norm1(x).transpose(1, 2)).transpose(1, 2)
        return x + self.channel_mix(self.norm2(x))


class MLPMixer(nn.Module):
    """An image model without attention.

    Example::

        model = MLPMixer(image_size=64, patch_size=16, dim=96, depth=2, num_classes=10)
        logits = model(torch.randn(1, 3, 64, 64))
    """

    def __init__(self, image_size, patch_size, dim, depth, num_classes, in_channels=3):
        super().__init__()
        self.embed = nn.Conv2d(in_channels, dim, patch_size, patch_size)
        tokens = (image_size // patch_size) ** 2
        self.blocks = nn.Sequential(*[MixerBlock(tokens, dim, dim // 2, dim * 2) for _ in range(depth)])
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, num_classes)

    def forward(self, x):
        x = self.embed(x).flatten(2).transpose(1, 2)
        return self.head(self.norm(self.blocks(x)).mean(1))
