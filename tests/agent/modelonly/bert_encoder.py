# expect: found BertForClassification
import math

import torch
import torch.nn as nn


class BertEmbeddings(nn.Module):
    def __init__(self, vocab_size, hidden_size, max_position_embeddings, type_vocab_size=2):
        super().__init__()
        self.word = nn.Embedding(vocab_size, hidden_size, padding_idx=0)
        self.position = nn.Embedding(max_position_embeddings, hidden_size)
        self.segment = nn.Embedding(type_vocab_size, hidden_size)
        self.norm = nn.LayerNorm(hidden_size, eps=1e-12)

    def forward(self, input_ids, token_type_ids):
        positions = torch.arange(input_ids.size(1), device=input_ids.device).unsqueeze(0)
        return self.norm(self.word(input_ids) + self.position(positions) + self.segment(token_type_ids))


class BertLayer(nn.Module):
    def __init__(self, hidden_size, num_heads):
        super().__init__()
        self.heads = num_heads
        self.q, self.k, self.v = (nn.Linear(hidden_size, hidden_size) for _ in range(3))
        self.ff = nn.Sequential(nn.Linear(hidden_size, 4 * hidden_size), nn.GELU(),
                                nn.Linear(4 * hidden_size, hidden_size))
        self.norm1, self.norm2 = nn.LayerNorm(hidden_size), nn.LayerNorm(hidden_size)

    def forward(self, x, mask):
        def split(t):
            return t.view(*t.shape[:2], self.heads, -1).transpose(1, 2)

        q, k, v = split(self.q(x)), split(self.k(x)), split(self.v(x))
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.size(-1)) + mask
        y = (scores.softmax(-1) @ v).transpose(1, 2).flatten(2)
        x = self.norm1(x + y)
        return self.norm2(x + self.ff(x))


class BertForClassification(nn.Module):
    def __init__(self, vocab_size, num_labels, hidden_size=64, num_layers=2, num_heads=4,
                 max_position_embeddings=128):
        super().__init__()
        self.embeddings = BertEmbeddings(vocab_size, hidden_size, max_position_embeddings)
        self.layers = nn.ModuleList(BertLayer(hidden_size, num_heads) for _ in range(num_layers))
        self.pooler = nn.Linear(hidden_size, hidden_size)
        self.classifier = nn.Linear(hidden_size, num_labels)

    def forward(self, input_ids, attention_mask, token_type_ids):
        extended = (1.0 - attention_mask[:, None, None, :].float()) * -10000.0
        x = self.embeddings(input_ids, token_type_ids)
        for layer in self.layers:
            x = layer(x, extended)
        return {"logits": self.classifier(torch.tanh(self.pooler(x[:, 0]))), "hidden": x}
