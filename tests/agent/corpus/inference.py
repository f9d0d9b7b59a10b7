"""Inference only: a step is one outermost call of the module that owns the parameters."""
# steps: module
import torch
from torch import nn


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(12, 9)
        self.head = nn.Linear(9, 4)

    def forward(self, x):
        h = self.body(x)  # plant: aten::linear 5x12
        h = h.relu()  # plant: aten::relu 5x9
        return self.head(h)  # plant: aten::linear 5x9


model = Classifier().eval()
with torch.inference_mode():
    for index in range(60):  # loop
        x = torch.rand(5, 12)  # plant: aten::rand
        scores = model(x).softmax(1)  # plant: aten::softmax 5x4
        best = scores.argmax(1)  # plant: aten::argmax 5x4
