"""Python's side of random.test.ts.

python random_side.py make FOLDER COUNT SEED writes networks of transformers with random configurations of BERT, DistilBERT, ViT, CLIP and
Whisper, an adapter of PEFT for each, and what transformers, PEFT and PyTorch compute. python random_side.py read FOLDER compares the weights
that were saved there, bit by bit.
"""

import json
import os
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "fixtures" / "hub"))

# First: it hides torchvision from transformers.
from make import detached, perturb  # noqa: E402
from make_speech import plain, times, written  # noqa: E402

import peft  # noqa: E402
import torch  # noqa: E402
import transformers  # noqa: E402
from safetensors.torch import save_file  # noqa: E402

ACTIVATIONS = ["gelu", "gelu_new", "relu", "silu", "quick_gelu", "gelu_pytorch_tanh"]


def sizes(pick):
    """The width and the number of heads."""
    heads = pick.choice([1, 2, 3, 4])
    return heads * pick.choice([4, 6, 8]), heads


def bert(pick):
    width, heads = sizes(pick)
    options = dict(
        vocab_size=pick.randint(20, 90), hidden_size=width, num_attention_heads=heads, num_hidden_layers=pick.randint(1, 3),
        intermediate_size=pick.randint(5, 50), hidden_act=pick.choice(ACTIVATIONS), max_position_embeddings=pick.randint(12, 40),
        type_vocab_size=pick.randint(1, 3), layer_norm_eps=pick.choice([1e-12, 1e-5, 1e-3]), num_labels=pick.randint(1, 5),
        hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, pad_token_id=0,
    )
    head = pick.choice(["MaskedLM", "SequenceClassification", "TokenClassification", "QuestionAnswering"])
    if head == "QuestionAnswering":
        options["num_labels"] = 2
    return "BertConfig", f"BertFor{head}", options, ["query", "key", "value", "dense"]


def distilbert(pick):
    width, heads = sizes(pick)
    options = dict(
        vocab_size=pick.randint(20, 90), dim=width, n_heads=heads, n_layers=pick.randint(1, 3), hidden_dim=pick.randint(5, 50),
        activation=pick.choice(["gelu", "relu"]), max_position_embeddings=pick.randint(12, 40), sinusoidal_pos_embds=pick.random() < 0.3,
        num_labels=pick.randint(1, 5), dropout=0.0, attention_dropout=0.0, seq_classif_dropout=0.0, qa_dropout=0.0, pad_token_id=0,
    )
    head = pick.choice(["MaskedLM", "SequenceClassification", "TokenClassification", "QuestionAnswering"])
    if head == "QuestionAnswering":
        options["num_labels"] = 2
    return "DistilBertConfig", f"DistilBertFor{head}", options, ["q_lin", "k_lin", "v_lin", "out_lin", "lin1", "lin2"]


def vit(pick):
    width, heads = sizes(pick)
    patch = [pick.randint(2, 5), pick.randint(2, 5)]
    image = [patch[0] * pick.randint(1, 3) + pick.randint(0, 1), patch[1] * pick.randint(1, 3)]
    square = pick.random() < 0.4
    options = dict(
        image_size=patch[0] * 3 if square else image, patch_size=patch[0] if square else patch, num_channels=pick.randint(1, 4),
        hidden_size=width, num_attention_heads=heads, num_hidden_layers=pick.randint(1, 3), intermediate_size=pick.randint(5, 50),
        hidden_act=pick.choice(ACTIVATIONS), qkv_bias=pick.random() < 0.6, layer_norm_eps=pick.choice([1e-12, 1e-5]),
        num_labels=pick.randint(1, 6),
    )
    return "ViTConfig", pick.choice(["ViTForImageClassification", "ViTModel"]), options, ["q_proj", "k_proj", "o_proj", "fc1", "fc2"]


def clip(pick):
    (text, text_heads), (vision, vision_heads) = sizes(pick), sizes(pick)
    patch = pick.randint(2, 5)

    def tower(width, heads):
        return dict(
            hidden_size=width, num_attention_heads=heads, num_hidden_layers=pick.randint(1, 3), intermediate_size=pick.randint(5, 50),
            hidden_act=pick.choice(ACTIVATIONS), layer_norm_eps=pick.choice([1e-5, 1e-6]),
        )

    vocabulary = pick.randint(20, 90)
    options = dict(
        text_config=dict(
            tower(text, text_heads), vocab_size=vocabulary, max_position_embeddings=pick.randint(9, 20),
            eos_token_id=pick.choice([2, vocabulary - 1]), bos_token_id=1, pad_token_id=0,
        ),
        vision_config=dict(tower(vision, vision_heads), image_size=patch * pick.randint(1, 3), patch_size=patch),
        projection_dim=pick.randint(3, 20), logit_scale_init_value=pick.choice([2.6592, 0.5]),
    )
    return "CLIPConfig", "CLIPModel", options, ["q_proj", "v_proj", "out_proj", "fc1", "fc2"]


def whisper(pick):
    heads = pick.choice([(1, 2), (2, 1), (2, 4), (3, 3)])
    width = 12 * pick.choice([1, 2]) if heads != (2, 4) else 8 * pick.randint(1, 3)
    options = dict(
        vocab_size=pick.randint(60, 90), num_mel_bins=pick.randint(3, 10), d_model=width, encoder_layers=pick.randint(1, 3),
        decoder_layers=pick.randint(1, 3), encoder_attention_heads=heads[0], decoder_attention_heads=heads[1],
        encoder_ffn_dim=pick.randint(5, 50), decoder_ffn_dim=pick.randint(5, 50), max_source_positions=pick.randint(5, 12),
        max_target_positions=pick.randint(20, 30), activation_function=pick.choice(ACTIVATIONS), scale_embedding=pick.random() < 0.3,
        bos_token_id=40, eos_token_id=40, pad_token_id=40, decoder_start_token_id=41, suppress_tokens=None, begin_suppress_tokens=None,
    )
    return "WhisperConfig", "WhisperForConditionalGeneration", options, ["q_proj", "k_proj", "v_proj", "out_proj", "fc1", "fc2"]


FAMILIES = dict(bert=bert, distilbert=distilbert, vit=vit, clip=clip, whisper=whisper)


def inputs_of(family, config, generator):
    """What the model takes, and the same for the file."""
    def noise(*shape):
        return torch.randn(shape, generator=generator)

    def ids_in(count, length, first=3):
        return torch.randint(first, count, (2, length), generator=generator)

    if family == "vit":
        size = config.image_size if isinstance(config.image_size, (list, tuple)) else [config.image_size] * 2
        pixels = noise(2, config.num_channels, *size)
        return {"pixel_values": pixels}, {"pixels": pixels.permute(0, 2, 3, 1)}
    if family == "clip":
        pixels = noise(2, 3, *[config.vision_config.image_size] * 2)
        ids, end = ids_in(config.text_config.vocab_size - 1, 8), config.text_config.vocab_size - 1
        mask = torch.ones_like(ids)
        ids[0, -1] = ids[1, 4] = end
        ids[1, 5:], mask[1, 5:] = 0, 0
        return (
            {"pixel_values": pixels, "input_ids": ids, "attention_mask": mask},
            {"pixels": pixels.permute(0, 2, 3, 1), "ids": ids, "mask": mask},
        )
    if family == "whisper":
        frames = noise(2, config.num_mel_bins, 2 * config.max_source_positions)
        ids = ids_in(config.vocab_size, 7)
        return {"input_features": frames, "decoder_input_ids": ids}, {"frames": frames.permute(0, 2, 1), "ids": ids}
    ids = ids_in(config.vocab_size, 11)
    mask = torch.ones_like(ids)
    ids[1, 7:], mask[1, 7:] = 0, 0
    given, stored = {"input_ids": ids, "attention_mask": mask}, {"ids": ids, "mask": mask}
    if family == "bert":
        segments = torch.randint(0, config.type_vocab_size, ids.shape, generator=generator)
        return {**given, "token_type_ids": segments}, {**stored, "segments": segments}
    return given, stored


def outputs(family, model, given):
    found = model(**given, output_hidden_states=True)
    if family == "clip":
        text, vision = found.text_model_output, found.vision_model_output
        hidden = {f"text.{i}": state for i, state in enumerate(text.hidden_states)}
        # The last one is normalized here.
        hidden[f"text.{len(hidden) - 1}"] = text.last_hidden_state
        hidden.update({f"hidden.{i}": state for i, state in enumerate(vision.hidden_states)})
        return found.logits_per_image, hidden
    if hasattr(found, "start_logits"):
        logits = torch.stack([found.start_logits, found.end_logits], -1)
    else:
        logits = found.logits if hasattr(found, "logits") else found.last_hidden_state
    if family == "whisper":
        hidden = {f"hidden.{i}": state for i, state in enumerate(found.encoder_hidden_states)}
        hidden.update({f"text.{i}": state for i, state in enumerate(found.decoder_hidden_states)})
        return logits, hidden
    return logits, {f"hidden.{i}": state for i, state in enumerate(found.hidden_states)}


def speech_of(pick, vocabulary):
    """Tokens of languages and times."""
    before = pick.randint(46, 50)
    return dict(
        bos_token_id=40, eos_token_id=40, pad_token_id=40, decoder_start_token_id=41, is_multilingual=True,
        lang_to_id={"<|en|>": 42, "<|fr|>": 43}, task_to_id={"translate": 44, "transcribe": 45}, prev_sot_token_id=46,
        no_timestamps_token_id=before, max_initial_timestamp_index=pick.choice([1, 4, vocabulary]) if pick.random() < 0.7 else None,
        suppress_tokens=[24, *range(41, before)], begin_suppress_tokens=[3, 40], max_length=30,
    )


def spoken(model, pick, generator, folder):
    speech = {key: value for key, value in speech_of(pick, model.config.vocab_size).items() if value is not None}
    model.generation_config = transformers.GenerationConfig(**speech)
    model.generation_config.save_pretrained(folder)
    window = 2 * model.config.max_source_positions
    counts = [3 * window + pick.randint(1, window), window + pick.randint(1, 2 * window)]
    long = 2 * torch.randn((2, model.config.num_mel_bins, counts[0]), generator=generator)
    long[1, :, counts[1]:] = 0
    mask = (torch.arange(counts[0])[None] < torch.tensor(counts)[:, None]).long()
    found = {
        "plain": plain(
            model, long[..., :window], language="fr", suppress_tokens=[*model.generation_config.suppress_tokens, *times(model)],
        ),
        "long": written(model, long[:1]),
        "batch": written(model, long, attention_mask=mask, language="en", task="translate"),
        "previous": written(model, long[:1], language="en", condition_on_prev_tokens=True),
        "searched": written(model, long[:1], language="en", num_beams=2),
    }
    flat = {f"speech.{name}.{key}": value for name, tensors in found.items() for key, value in tensors.items()}
    return {"long": long.permute(0, 2, 1), "long.counts": torch.tensor(counts), **flat}


def make_network(folder, family, seed):
    pick = random.Random(seed)
    generator = torch.Generator().manual_seed(seed)
    config_class, model_class, options, targets = FAMILIES[family](pick)
    torch.manual_seed(seed)
    model = getattr(transformers, model_class)(getattr(transformers, config_class)(**options))
    perturb(model)
    if family == "whisper":
        # Texts that don't repeat themselves.
        for parameter in model.parameters():
            parameter.data.mul_(1.5)
    dtype = pick.choice([torch.float32, torch.bfloat16, torch.float16])
    shard = dict(max_shard_size=f"{pick.randint(4, 20)}KB") if pick.random() < 0.5 else {}
    model.to(dtype).save_pretrained(folder, **shard)
    model = type(model).from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    given, stored = inputs_of(family, model.config, generator)
    with torch.no_grad():
        logits, hidden = outputs(family, model, given)
        stored.update(logits=logits, **hidden)
        if family == "whisper":
            stored.update(spoken(model, pick, generator, folder))
    write(folder, stored)
    lora = peft.LoraConfig(
        r=pick.randint(1, 3), lora_alpha=pick.randint(1, 8), target_modules=pick.sample(targets, pick.randint(1, len(targets))),
        use_dora=pick.random() < 0.3, use_rslora=pick.random() < 0.3,
        # The pooler of a ViT without a head isn't kept, nor is its bias.
        bias="none" if model_class == "ViTModel" else pick.choice(["none", "none", "all", "lora_only"]),
    )
    adapted = peft.get_peft_model(model, lora)
    for parameter in adapted.parameters():
        if parameter.requires_grad:
            parameter.data.add_(0.2 * torch.randn(parameter.shape, generator=generator))
    adapted.eval().save_pretrained(os.path.join(folder, "adapter"))
    logits, _ = outputs(family, adapted, given)
    weights = torch.randn(logits.shape, generator=generator)
    (logits * weights).sum().backward()
    named = {key.replace(".default", "").replace("magnitude_vector.weight", "magnitude_vector"): parameter for key, parameter in adapted.named_parameters()}
    found = {f"gradient.{key}": parameter.grad for key, parameter in named.items() if parameter.grad is not None}
    write(os.path.join(folder, "adapter"), {"logits": logits, "weights": weights, **found})
    with open(os.path.join(folder, "about.json"), "w") as file:
        json.dump({"model": model_class, "dtype": str(dtype), "options": options, "lora": lora.to_dict()["bias"]}, file)


def write(folder, tensors):
    tensors = {key: value.int() if value.dtype == torch.int64 else value for key, value in detached(tensors).items()}
    save_file({key: value.contiguous().clone() for key, value in tensors.items()}, os.path.join(folder, "expected.safetensors"))


def read_network(folder):
    """The names of weights that aren't the same bits after a way there and back."""
    with open(os.path.join(folder, "about.json")) as file:
        about = json.load(file)
    model_class = getattr(transformers, about["model"])
    dtype = getattr(torch, about["dtype"].split(".")[1])
    before = model_class.from_pretrained(folder, dtype=dtype)
    after, info = model_class.from_pretrained(os.path.join(folder, "saved"), dtype=dtype, output_loading_info=True)
    a, b = before.state_dict(), after.state_dict()
    different = [key for key in a if key not in b or not torch.equal(a[key], b[key])]
    # Tokens of the file of generations are in both files afterwards.
    ignored = {"suppress_tokens", "begin_suppress_tokens", "transformers_version", "_name_or_path", "dtype", "architectures", "id2label", "label2id"}
    one, other = ({key: value for key, value in each.config.to_dict().items() if key not in ignored} for each in (before, after))
    fields = [key for key in one if one[key] != other.get(key)]
    base = model_class.from_pretrained(folder, dtype=torch.float32)
    peft.PeftModel.from_pretrained(base, os.path.join(folder, "saved-adapter"))
    found = [*different, *info["missing_keys"], *info["unexpected_keys"], *fields]
    # The pooler of a ViT without a head isn't kept.
    return [key for key in found if not (about["model"] == "ViTModel" and key.startswith("pooler."))]


if __name__ == "__main__":
    command, folder, *rest = sys.argv[1:]
    if command == "make":
        count, first = map(int, rest)
        for i in range(count):
            family = list(FAMILIES)[i % len(FAMILIES)]
            target = os.path.join(folder, f"{family}-{first + i}")
            os.makedirs(target)
            make_network(target, family, first + i)
    else:
        faults = {name: read_network(os.path.join(folder, name)) for name in sorted(os.listdir(folder))}
        with open(os.path.join(folder, "read.json"), "w") as file:
            json.dump(faults, file)
