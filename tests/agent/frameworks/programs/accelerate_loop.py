"""Accelerate prepares, the loop is the user's own: two micro-batches per update, evaluation."""

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Classifier(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(128, 512)
        self.last = nn.Linear(512, 10)

    def forward(self, x):
        return self.last(torch.relu(self.first(x)))  # model


def evaluate(model, data):
    model.eval()
    with torch.no_grad():
        for x, _ in data:
            model(x)
            print("EVALUATED", flush=True)
    model.train()


def main():
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
    rows, labels = torch.randn(256, 128), torch.randint(10, (256,))
    model = Classifier()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    data = DataLoader(TensorDataset(rows, labels), batch_size=64)
    model, optimizer, data = accelerator.prepare(model, optimizer, data)
    updates = 0
    for _ in range(50):
        evaluate(model, data)
        for x, y in data:  # loop
            with accelerator.accumulate(model):
                loss = nn.functional.cross_entropy(model(x), y)  # model
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    updates += 1
                    print(f"TRUTH {updates}", flush=True)
                optimizer.step()  # optimizer
                optimizer.zero_grad()


if __name__ == "__main__":
    main()
