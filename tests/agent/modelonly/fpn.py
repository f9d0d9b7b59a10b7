# expect: found FeaturePyramid
from typing import List

import torch.nn.functional as F
from torch import Tensor, nn


class FeaturePyramid(nn.Module):
    def __init__(self, in_channels_list: List[int], out_channels: int):
        super().__init__()
        self.inner = nn.ModuleList(nn.Conv2d(c, out_channels, 1) for c in in_channels_list)
        self.outer = nn.ModuleList(nn.Conv2d(out_channels, out_channels, 3, padding=1) for _ in in_channels_list)

    def forward(self, maps: List[Tensor]) -> List[Tensor]:
        last = self.inner[-1](maps[-1])
        results = [self.outer[-1](last)]
        for index in range(len(maps) - 2, -1, -1):
            lateral = self.inner[index](maps[index])
            last = lateral + F.interpolate(last, size=lateral.shape[-2:], mode="nearest")
            results.insert(0, self.outer[index](last))
        return results
