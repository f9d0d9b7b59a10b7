# expect: found AudioTransformer
import torch
from torch import nn


class AudioTransformer(nn.Module):
    def __init__(self, n_mels: int, d_model: int = 64, num_heads: int = 4, num_layers: int = 2, num_classes: int = 10):
        super().__init__()
        self.conv = nn.Conv1d(n_mels, d_model, kernel_size=3, padding=1)
        layer = nn.TransformerEncoderLayer(d_model, num_heads, 2 * d_model, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, num_layers)
        self.head = nn.Linear(d_model, num_classes)

    def forward(self, mel: torch.Tensor) -> torch.Tensor:
        """mel: (batch, time, n_mels)"""
        x = self.conv(mel.transpose(1, 2)).relu().transpose(1, 2)
        return self.head(self.encoder(x).mean(dim=1))
