"""transformers' Trainer with a GPT-2 of a few thousand parameters, evaluation and accumulation."""

import torch
from torch import nn
from torch.utils.data import Dataset
from transformers import GPT2Config, GPT2Model, Trainer, TrainerCallback, TrainingArguments


class Sentences(Dataset):
    def __len__(self):
        return 96

    def __getitem__(self, index):
        tokens = torch.arange(index, index + 16) % 64
        return {"input_ids": tokens, "labels": tokens}


class TinyLanguageModel(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = GPT2Model(
            GPT2Config(vocab_size=64, n_positions=16, n_embd=32, n_layer=1, n_head=2)
        )
        self.head = nn.Linear(32, 64)

    def forward(self, input_ids, labels=None):
        hidden = self.body(input_ids).last_hidden_state  # model
        logits = self.head(hidden)  # model
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten())  # model
        return {"loss": loss, "logits": logits}


class Tell(TrainerCallback):
    def on_step_end(self, args, state, control, **kwargs):
        print(f"TRUTH {state.global_step}", flush=True)

    def on_prediction_step(self, args, state, control, **kwargs):
        print("EVALUATED", flush=True)


if __name__ == "__main__":
    arguments = TrainingArguments(
        output_dir="out",
        use_cpu=True,
        num_train_epochs=50,
        per_device_train_batch_size=16,
        gradient_accumulation_steps=2,
        eval_strategy="steps",
        eval_steps=2,
        save_strategy="no",
        logging_strategy="no",
        disable_tqdm=True,
        report_to=[],
    )
    trainer = Trainer(
        TinyLanguageModel(),
        arguments,
        train_dataset=Sentences(),
        eval_dataset=Sentences(),
        callbacks=[Tell()],
    )
    trainer.evaluate()
    trainer.train()  # optimizer
