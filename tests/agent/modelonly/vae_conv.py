# expect: found ConvVAE
from typing import Dict, List

import torch
from torch import Tensor, nn


class ConvVAE(nn.Module):
    def __init__(self, in_channels: int, latent_dim: int, hidden_dims: List[int] = None, **kwargs):
        super().__init__()
        hidden_dims = hidden_dims or [16, 32, 64]
        layers, c = [], in_channels
        for h in hidden_dims:
            layers.append(nn.Sequential(nn.Conv2d(c, h, 3, 2, 1), nn.BatchNorm2d(h), nn.LeakyReLU()))
            c = h
        self.encoder = nn.Sequential(*layers)
        self.fc_mu = nn.Linear(c * 64, latent_dim)
        self.fc_var = nn.Linear(c * 64, latent_dim)
        self.decoder_input = nn.Linear(latent_dim, c * 64)
        self.decoder = nn.Sequential(
            nn.ConvTranspose2d(c, 32, 4, 2, 1), nn.ReLU(),
            nn.ConvTranspose2d(32, 16, 4, 2, 1), nn.ReLU(),
            nn.ConvTranspose2d(16, in_channels, 4, 2, 1), nn.Tanh(),
        )
        self.width = c

    def forward(self, x: Tensor) -> Dict[str, Tensor]:
        h = self.encoder(x).flatten(1)
        mu, log_var = self.fc_mu(h), self.fc_var(h)
        z = mu + torch.randn_like(mu) * (0.5 * log_var).exp()
        out = self.decoder(self.decoder_input(z).view(-1, self.width, 8, 8))
        return {"recon": out, "mu": mu, "log_var": log_var}
