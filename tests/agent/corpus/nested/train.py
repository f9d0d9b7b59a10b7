"""A model over several files, trained by a function that main calls."""
# steps: optimizer
import torch
from model import Model


def train_epoch(model, opt, batches):
    model.train()
    for x, y in batches:  # loop
        opt.zero_grad()
        out = model(x)
        loss = torch.nn.functional.mse_loss(out, y)  # plant: aten::mse_loss 6x8  # backward: MseLossBackward0
        loss.backward()
        opt.step()  # plant: aten::addcdiv_ 24x8; aten::addcdiv_ 8x8 *3; aten::addcdiv_ 31x8


def main():
    model = Model()
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    data = [(torch.randint(31, (6,)), torch.rand(6, 8)) for _ in range(30)]
    for epoch in range(3):
        train_epoch(model, opt, data)


if __name__ == "__main__":
    main()
