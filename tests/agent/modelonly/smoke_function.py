# expect: found DualBranch
import torch
from torch import nn


class DualBranch(nn.Module):
    def __init__(self, depth_of_a, depth_of_b, mixing):
        super().__init__()
        self.a = nn.Sequential(*[nn.Conv2d(4, 4, 3, padding=1) for _ in range(depth_of_a)])
        self.b = nn.Sequential(*[nn.Conv2d(2, 4, 3, padding=1) for _ in range(depth_of_b)])
        self.mixing = mixing

    def forward(self, left, right):
        return self.mixing * self.a(left) + (1 - self.mixing) * self.b(right)


def main():
    batch = 3
    left, right = torch.randn(batch, 4, 20, 20), torch.randn(batch, 2, 20, 20)
    model = DualBranch(2, 1, 0.25)
    model.eval()
    with torch.no_grad():
        out = model(left, right)
    print(out.shape)


if __name__ == "__main__":
    main()
