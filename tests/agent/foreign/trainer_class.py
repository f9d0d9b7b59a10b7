"""A Trainer class: fit, epoch and batch are methods; clipping, a scheduler per batch."""
# steps: optimizer
from time import time_ns

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Trainer:
    def __init__(self, model, loader):
        self.model, self.loader = model, loader
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        self.scheduler = torch.optim.lr_scheduler.StepLR(self.optimizer, step_size=50)
        self.history = []

    def fit(self, epochs):
        for self.epoch in range(epochs):
            self.train_epoch()
            self.on_epoch_end()

    def train_epoch(self):
        self.model.train()
        for batch in self.loader:  # step loop
            print("pass", time_ns(), flush=True)
            self.history.append(self.train_batch(*batch))

    def train_batch(self, x, y):
        self.optimizer.zero_grad()
        loss = nn.functional.cross_entropy(self.model(x), y)
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 0.5)
        self.optimizer.step()
        self.scheduler.step()
        return loss.item()

    def on_epoch_end(self):
        self.model.eval()
        with torch.inference_mode():
            for x, _ in self.loader:
                self.model(x)


if __name__ == "__main__":
    data = TensorDataset(torch.rand(60, 12), torch.randint(0, 5, (60,)))
    network = nn.Sequential(nn.Linear(12, 20), nn.ReLU(), nn.Dropout(0.1), nn.Linear(20, 5))
    Trainer(network, DataLoader(data, batch_size=10)).fit(100)
