# expect: found CLIP
import numpy as np
import torch
from torch import nn


class CLIP(nn.Module):
    def __init__(self,
                 embed_dim: int,
                 # vision
                 image_resolution: int,
                 vision_width: int,
                 vision_patch_size: int,
                 # text
                 context_length: int,
                 vocab_size: int,
                 transformer_width: int,
                 transformer_heads: int,
                 transformer_layers: int):
        super().__init__()
        self.context_length = context_length
        self.conv1 = nn.Conv2d(3, vision_width, vision_patch_size, vision_patch_size, bias=False)
        tokens = (image_resolution // vision_patch_size) ** 2
        self.visual_pos = nn.Parameter(torch.randn(tokens, vision_width) * 0.02)
        self.visual = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(vision_width, 4, 2 * vision_width, batch_first=True), 2)
        self.visual_proj = nn.Linear(vision_width, embed_dim)
        self.token_embedding = nn.Embedding(vocab_size, transformer_width)
        self.positional_embedding = nn.Parameter(torch.empty(context_length, transformer_width).normal_(std=0.01))
        self.transformer = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(transformer_width, transformer_heads, 2 * transformer_width,
                                       batch_first=True), transformer_layers)
        self.text_proj = nn.Linear(transformer_width, embed_dim)
        self.logit_scale = nn.Parameter(torch.ones([]) * np.log(1 / 0.07))

    def encode_image(self, image):
        x = self.conv1(image).flatten(2).transpose(1, 2) + self.visual_pos
        return self.visual_proj(self.visual(x).mean(1))

    def encode_text(self, text):
        x = self.token_embedding(text) + self.positional_embedding
        x = self.transformer(x)
        return self.text_proj(x[torch.arange(x.shape[0]), text.argmax(dim=-1)])

    def forward(self, image, text):
        a, b = self.encode_image(image), self.encode_text(text)
        a, b = a / a.norm(dim=-1, keepdim=True), b / b.norm(dim=-1, keepdim=True)
        logits = self.logit_scale.exp() * a @ b.t()
        return logits, logits.t()
