# expect: found Transformer
import torch
import torch.nn as nn


class Transformer(nn.Module):
    """Built from the parsed command line of the training script."""

    def __init__(self, args):
        super().__init__()
        self.embed = nn.Embedding(args.vocab_size, args.d_model)
        layer = nn.TransformerEncoderLayer(args.d_model, args.n_heads, args.d_ff, args.dropout, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, args.n_layers)
        self.fc = nn.Linear(args.d_model, args.num_classes)

    def forward(self, tokens):
        return self.fc(self.encoder(self.embed(tokens)).mean(1))
