"""fastai's Learner on tensors, two micro-batches per update, a learning-rate search before."""

import torch
from fastai.basics import Callback, DataLoader, DataLoaders, Learner
from fastai.callback import schedule
from fastai.callback.training import GradientAccumulation
from torch import nn


class Regressor(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(64, 256)
        self.last = nn.Linear(256, 16)

    def forward(self, x):
        hidden = torch.relu(self.first(x))  # model
        return self.last(hidden)  # model


class Tell(Callback):
    updates = 0

    def after_step(self):
        self.updates += 1

    def after_batch(self):
        print(f"TRUTH {self.updates}" if self.training else "EVALUATED", flush=True)


if __name__ == "__main__":
    pairs = [(torch.randn(64), torch.randn(16)) for _ in range(128)]
    loaders = DataLoaders(DataLoader(pairs, bs=32), DataLoader(pairs, bs=32))
    search = Learner(loaders, Regressor(), loss_func=nn.functional.mse_loss)
    with search.no_bar(), search.no_logging():
        search.lr_find(num_it=12, show_plot=False, suggest_funcs=(schedule.valley,))
    learner = Learner(
        loaders,
        Regressor(),
        loss_func=nn.functional.mse_loss,
        cbs=[GradientAccumulation(64), Tell()],
    )
    with learner.no_bar(), learner.no_logging():
        learner.fit(50, lr=0.01)  # optimizer
