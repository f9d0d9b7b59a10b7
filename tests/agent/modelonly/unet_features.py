# expect: found SegmentationNet
import torch
from torch import nn


class SegmentationNet(nn.Module):
    def __init__(self, in_channels=3, out_channels=1, features=(16, 32, 64)):
        super().__init__()
        self.downs, self.ups = nn.ModuleList(), nn.ModuleList()
        self.pool = nn.MaxPool2d(2, 2)
        for feature in features:
            self.downs.append(self.block(in_channels, feature))
            in_channels = feature
        for feature in reversed(features):
            self.ups.append(nn.ConvTranspose2d(feature * 2, feature, 2, 2))
            self.ups.append(self.block(feature * 2, feature))
        self.bottleneck = self.block(features[-1], features[-1] * 2)
        self.final = nn.Conv2d(features[0], out_channels, 1)

    @staticmethod
    def block(a, b):
        return nn.Sequential(nn.Conv2d(a, b, 3, 1, 1, bias=False), nn.BatchNorm2d(b), nn.ReLU())

    def forward(self, x):
        skips = []
        for down in self.downs:
            x = down(x)
            skips.append(x)
            x = self.pool(x)
        x = self.bottleneck(x)
        for index in range(0, len(self.ups), 2):
            x = self.ups[index](x)
            x = self.ups[index + 1](torch.cat((skips[-1 - index // 2], x), dim=1))
        return self.final(x)


def test():
    x = torch.randn((3, 1, 160, 160))
    model = SegmentationNet(in_channels=1, out_channels=1)
    preds = model(x)
    assert preds.shape == x.shape


if __name__ == "__main__":
    test()
