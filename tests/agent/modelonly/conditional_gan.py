# expect: found ConditionalGenerator
import torch
import torch.nn as nn


class ConditionalGenerator(nn.Module):
    def __init__(self, latent_dim: int, num_classes: int, img_shape: tuple):
        super().__init__()
        self.img_shape = img_shape
        self.label_emb = nn.Embedding(num_classes, num_classes)
        total = img_shape[0] * img_shape[1] * img_shape[2]
        self.model = nn.Sequential(
            nn.Linear(latent_dim + num_classes, 128), nn.LeakyReLU(0.2),
            nn.Linear(128, total), nn.Tanh(),
        )

    def forward(self, noise, labels):
        gen_input = torch.cat((self.label_emb(labels), noise), -1)
        img = self.model(gen_input)
        return img.view(img.size(0), *self.img_shape)
