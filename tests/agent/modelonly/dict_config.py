# expect: found ConvClassifier
import torch
import torch.nn as nn


class ConvClassifier(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.conv = nn.Conv2d(cfg["in_channels"], cfg["hidden_dim"], cfg["kernel_size"], padding="same")
        self.drop = nn.Dropout(cfg["dropout"])
        self.fc = nn.Linear(cfg["hidden_dim"], cfg["num_classes"])

    def forward(self, x):
        return self.fc(self.drop(torch.relu(self.conv(x)).mean((2, 3))))
