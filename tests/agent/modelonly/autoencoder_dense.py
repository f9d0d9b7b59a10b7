# expect: found Autoencoder
import torch.nn as nn


class Autoencoder(nn.Module):
    def __init__(self, input_dim, hidden_dims, latent_dim):
        super().__init__()
        dims = [input_dim, *hidden_dims]
        encoder = []
        for a, b in zip(dims[:-1], dims[1:]):
            encoder += [nn.Linear(a, b), nn.ReLU()]
        self.encoder = nn.Sequential(*encoder, nn.Linear(dims[-1], latent_dim))
        decoder = [nn.Linear(latent_dim, dims[-1])]
        for a, b in zip(dims[:0:-1], dims[-2::-1]):
            decoder += [nn.ReLU(), nn.Linear(a, b)]
        self.decoder = nn.Sequential(*decoder)

    def forward(self, x):
        return self.decoder(self.encoder(x))
