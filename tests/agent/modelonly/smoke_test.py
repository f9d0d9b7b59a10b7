# expect: found PatchTST
import torch
from torch import nn


class PatchTST(nn.Module):
    def __init__(self, enc_in, lookback, pred_steps, patch, stride_of_patch, width):
        super().__init__()
        self.patch, self.step = patch, stride_of_patch
        count = (lookback - patch) // stride_of_patch + 1
        self.embed = nn.Linear(patch, width)
        self.pos = nn.Parameter(torch.zeros(1, count, width))
        self.encoder = nn.TransformerEncoderLayer(width, 2, 2 * width, batch_first=True)
        self.head = nn.Linear(count * width, pred_steps)

    def forward(self, x):
        b, t, c = x.shape
        x = x.transpose(1, 2).reshape(b * c, t).unfold(-1, self.patch, self.step)
        x = self.encoder(self.embed(x) + self.pos)
        return self.head(x.flatten(1)).view(b, c, -1).transpose(1, 2)


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = PatchTST(enc_in=7, lookback=96, pred_steps=24, patch=16, stride_of_patch=8, width=32).to(device)
    series = torch.rand(4, 96, 7, device=device)
    print(net(series).shape)
