# expect: found RetinaHead
import torch
from torch import nn


class RetinaHead(nn.Module):
    """Class scores and boxes on every level of a feature pyramid."""

    def __init__(self, in_channels: int = 64, num_anchors: int = 9, num_classes: int = 20):
        super().__init__()
        self.cls_tower = nn.Sequential(nn.Conv2d(in_channels, in_channels, 3, padding=1), nn.ReLU())
        self.box_tower = nn.Sequential(nn.Conv2d(in_channels, in_channels, 3, padding=1), nn.ReLU())
        self.cls_logits = nn.Conv2d(in_channels, num_anchors * num_classes, 3, padding=1)
        self.bbox_pred = nn.Conv2d(in_channels, num_anchors * 4, 3, padding=1)

    def forward(self, features):
        logits, boxes = [], []
        for feature in features:
            logits.append(self.cls_logits(self.cls_tower(feature)))
            boxes.append(self.bbox_pred(self.box_tower(feature)))
        return logits, boxes
