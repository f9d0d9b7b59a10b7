# expect: found FrameEncoder
import torch
from torch import nn


class FrameEncoder(nn.Module):
    """A small CNN on every frame, an LSTM over the frames."""

    def __init__(self, hidden_size, num_classes):
        super().__init__()
        self.cnn = nn.Sequential(nn.Conv2d(3, 16, 3, 2, 1), nn.ReLU(), nn.Conv2d(16, 32, 3, 2, 1), nn.AdaptiveAvgPool2d(1))
        self.lstm = nn.LSTM(32, hidden_size, batch_first=True)
        self.fc = nn.Linear(hidden_size, num_classes)

    def forward(self, video):
        b, t, c, h, w = video.shape
        feats = self.cnn(video.reshape(b * t, c, h, w)).flatten(1).view(b, t, -1)
        out, _ = self.lstm(feats)
        return self.fc(out[:, -1])
