# expect: found WaveNet
import torch
from torch import nn


class WaveNet(nn.Module):
    def __init__(self, layers, blocks, residual_channels, skip_channels, classes=64):
        super().__init__()
        self.start = nn.Conv1d(classes, residual_channels, 1)
        self.filters, self.gates = nn.ModuleList(), nn.ModuleList()
        self.residuals, self.skips = nn.ModuleList(), nn.ModuleList()
        for _ in range(blocks):
            for i in range(layers):
                d = 2**i
                self.filters.append(nn.Conv1d(residual_channels, residual_channels, 2, dilation=d, padding=d))
                self.gates.append(nn.Conv1d(residual_channels, residual_channels, 2, dilation=d, padding=d))
                self.residuals.append(nn.Conv1d(residual_channels, residual_channels, 1))
                self.skips.append(nn.Conv1d(residual_channels, skip_channels, 1))
        self.end = nn.Sequential(nn.ReLU(), nn.Conv1d(skip_channels, classes, 1))

    def forward(self, input):
        x, total = self.start(input), 0
        length = x.size(-1)
        for f, g, r, s in zip(self.filters, self.gates, self.residuals, self.skips):
            z = torch.tanh(f(x)[..., :length]) * torch.sigmoid(g(x)[..., :length])
            total = total + s(z)
            x = x + r(z)
        return self.end(total)
