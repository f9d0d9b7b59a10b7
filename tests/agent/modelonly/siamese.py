# expect: found SiameseNetwork
import torch
import torch.nn as nn


class SiameseNetwork(nn.Module):
    def __init__(self, embedding_dim=64):
        super().__init__()
        self.cnn = nn.Sequential(
            nn.Conv2d(1, 16, 5), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 5), nn.ReLU(), nn.AdaptiveAvgPool2d((3, 3)),
        )
        self.fc = nn.Linear(32 * 9, embedding_dim)

    def forward_once(self, x):
        return self.fc(self.cnn(x).view(x.size(0), -1))

    def forward(self, input1, input2):
        return self.forward_once(input1), self.forward_once(input2)
