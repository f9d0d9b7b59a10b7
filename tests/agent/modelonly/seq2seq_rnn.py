# expect: found Seq2Seq
import random

import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, input_dim, emb_dim, hid_dim, n_layers, dropout):
        super().__init__()
        self.embedding = nn.Embedding(input_dim, emb_dim)
        self.rnn = nn.LSTM(emb_dim, hid_dim, n_layers, dropout=dropout)

    def forward(self, src):
        _, (hidden, cell) = self.rnn(self.embedding(src))
        return hidden, cell


class Decoder(nn.Module):
    def __init__(self, output_dim, emb_dim, hid_dim, n_layers, dropout):
        super().__init__()
        self.output_dim = output_dim
        self.embedding = nn.Embedding(output_dim, emb_dim)
        self.rnn = nn.LSTM(emb_dim, hid_dim, n_layers, dropout=dropout)
        self.fc_out = nn.Linear(hid_dim, output_dim)

    def forward(self, token, hidden, cell):
        output, (hidden, cell) = self.rnn(self.embedding(token.unsqueeze(0)), (hidden, cell))
        return self.fc_out(output.squeeze(0)), hidden, cell


class Seq2Seq(nn.Module):
    def __init__(self, encoder, decoder, device):
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder
        self.device = device

    def forward(self, src, trg, teacher_forcing_ratio=0.5):
        outputs = torch.zeros(trg.shape[0], trg.shape[1], self.decoder.output_dim).to(self.device)
        hidden, cell = self.encoder(src)
        token = trg[0, :]
        for t in range(1, trg.shape[0]):
            output, hidden, cell = self.decoder(token, hidden, cell)
            outputs[t] = output
            token = trg[t] if random.random() < teacher_forcing_ratio else output.argmax(1)
        return outputs
