"""Lightning's Trainer: sanity check, validation in the epoch, two micro-batches per update.

Its checkpoints are saved after each update, and once more when something is raised.
"""

import lightning
import torch
from lightning.pytorch.callbacks import ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Regressor(lightning.LightningModule):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(128, 512)
        self.last = nn.Linear(512, 128)

    def forward(self, x):
        hidden = torch.relu(self.first(x))  # model
        return self.last(hidden)  # model

    def training_step(self, batch, index):
        x, y = batch
        return nn.functional.mse_loss(self(x), y)  # model

    def validation_step(self, batch, index):
        x, y = batch
        self.log("validation", nn.functional.mse_loss(self(x), y))
        print("EVALUATED", flush=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.01)


class Tell(lightning.Callback):
    def on_train_batch_end(self, trainer, module, outputs, batch, index):
        print(f"TRUTH {trainer.global_step}", flush=True)


if __name__ == "__main__":
    rows = torch.randn(384, 128)
    data = DataLoader(TensorDataset(rows, rows), batch_size=64)
    saves = ModelCheckpoint(
        "kept",
        "best",
        every_n_train_steps=1,
        save_last=True,
        save_on_exception=True,
        enable_version_counter=False,
    )
    trainer = lightning.Trainer(
        accelerator="cpu",
        max_epochs=50,
        accumulate_grad_batches=2,
        limit_val_batches=1,
        callbacks=[Tell(), saves],
        logger=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(Regressor(), data, data)  # optimizer
