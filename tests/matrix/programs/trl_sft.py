"""TRL's SFTTrainer, which is transformers' Trainer underneath, on token ids made here."""

import torch
from datasets import Dataset
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast, TrainerCallback
from trl import SFTConfig, SFTTrainer


class Tell(TrainerCallback):
    def on_step_end(self, args, state, control, **kwargs):
        print(f"TRUTH {state.global_step}", flush=True)


if __name__ == "__main__":
    words = {f"w{n}": n for n in range(62)} | {"<unk>": 62, "<pad>": 63}
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer(WordLevel(words, unk_token="<unk>")),
        pad_token="<pad>",
        eos_token="<pad>",
    )
    rows = torch.randint(62, (64, 16)).tolist()
    config = GPT2Config(vocab_size=64, n_positions=16, n_embd=32, n_layer=1, n_head=2)
    arguments = SFTConfig(
        output_dir="out",
        use_cpu=True,
        bf16=False,
        num_train_epochs=50,
        per_device_train_batch_size=8,
        gradient_accumulation_steps=1,
        save_strategy="no",
        logging_strategy="no",
        disable_tqdm=True,
        report_to=[],
    )
    trainer = SFTTrainer(
        GPT2LMHeadModel(config),
        arguments,
        train_dataset=Dataset.from_dict({"input_ids": rows}),
        processing_class=tokenizer,
        callbacks=[Tell()],
    )
    trainer.train()  # optimizer
