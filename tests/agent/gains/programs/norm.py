"""A convolution's bias that the batch norm behind it takes away again."""

import torch
from torch import nn


def steps():
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(3, 32, 3),  # expect: conv-bias
        nn.BatchNorm2d(32),
        nn.ReLU(),
    )
    with torch.no_grad():
        for number, parameter in enumerate(model.parameters()):
            parameter.copy_(
                torch.arange(parameter.numel()).add(number).sin().reshape(parameter.shape)
            )
        model[1].weight.fill_(1.0)
        model[1].bias.fill_(0.0)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.arange(8 * 3 * 48 * 48).mul(0.37).sin().reshape(8, 3, 48, 48)
    for _ in range(100_000):
        loss = (model(x) - 1).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss


if __name__ == "__main__":
    for _ in steps():
        pass
