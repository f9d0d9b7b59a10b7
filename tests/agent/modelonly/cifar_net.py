# expect: found Net
import torch
from torch import nn


class Net(nn.Module):
    """Two convolutions and a classifier, for small colour pictures."""

    def __init__(self, in_channels, num_classes, hidden):
        super(Net, self).__init__()
        self.features = nn.Sequential(
            nn.Conv2d(in_channels, 32, 3, padding=1),
            nn.BatchNorm2d(32),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(2),
            nn.Conv2d(32, hidden, 3, padding=1),
            nn.ReLU(inplace=True),
            nn.AdaptiveAvgPool2d(4),
        )
        self.classifier = nn.Linear(hidden * 16, num_classes)

    def forward(self, images):
        feats = self.features(images)
        return self.classifier(torch.flatten(feats, 1))
