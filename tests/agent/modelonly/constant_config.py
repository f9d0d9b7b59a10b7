# expect: found SpeechNet
import torch
from torch import nn

CONFIG = {"sample_rate": 16000, "width": 24, "keywords": 12}


class SpeechNet(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv1d(1, config["width"], 64, stride=32), nn.ReLU(),
            nn.Conv1d(config["width"], config["width"], 3, stride=2), nn.ReLU(),
        )
        self.out = nn.Linear(config["width"], config["keywords"])

    def forward(self, waveform):
        return self.out(self.layers(waveform).mean(-1))
