# expect: no (backbone: a module)
from torch import nn


class Classifier(nn.Module):
    def __init__(self, backbone, num_classes):
        super().__init__()
        self.backbone = backbone
        self.fc = nn.Linear(backbone.out_features, num_classes)

    def forward(self, x):
        return self.fc(self.backbone(x))
