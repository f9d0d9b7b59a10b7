# expect: found RelativeAttention
import torch
from torch import nn


class RelativeAttention(nn.Module):
    r"""Attention with learned distances.

    Args:
        w: width
        spans: how far a token sees to either side

    Examples:
        >>> layer = RelativeAttention(48, spans=(3, 5))
        >>> x = torch.randn(2, 20, 48)
        >>> y = layer(x, x)
        >>> y.shape
        torch.Size([2, 20, 48])
    """

    def __init__(self, w, spans):
        super().__init__()
        self.q, self.k = nn.Linear(w, w), nn.Linear(w, w)
        self.bias = nn.Parameter(torch.zeros(sum(spans) + 1))
        self.spans = spans

    def forward(self, x, memory):
        scores = self.q(x) @ self.k(memory).transpose(1, 2)
        i = torch.arange(x.size(1), device=x.device)
        distance = (i[None] - i[:, None]).clamp(-self.spans[0], self.spans[1]) + self.spans[0]
        return (scores + self.bias[distance]).softmax(-1) @ memory
