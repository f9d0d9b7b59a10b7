# expect: found C3D
import torch
from torch import nn


class C3D(nn.Module):
    def __init__(self, in_channels=3, num_classes=101):
        super().__init__()
        self.conv1 = nn.Conv3d(in_channels, 16, kernel_size=3, padding=1)
        self.pool1 = nn.MaxPool3d((1, 2, 2))
        self.conv2 = nn.Conv3d(16, 32, kernel_size=3, padding=1)
        self.pool2 = nn.MaxPool3d(2)
        self.fc = nn.Linear(32, num_classes)

    def forward(self, clip):
        x = self.pool1(torch.relu(self.conv1(clip)))
        x = self.pool2(torch.relu(self.conv2(x)))
        return self.fc(x.mean(dim=(2, 3, 4)))
