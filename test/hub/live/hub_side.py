"""Python's side of live.test.ts.

python hub_side.py make FOLDER writes tiny random networks of transformers in all forms, adapters of PEFT for them, and what transformers,
PEFT and PyTorch compute. python hub_side.py read FOLDER computes with the networks and adapters that were saved there.
"""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "fixtures" / "hub"))

# First: it hides torchvision from transformers.
from make import (  # noqa: E402
    BERT, CLIP, DISTILBERT, GPT2, LLAMA, LLAMA3, VIT, WHISPER,
    expected_of_both, expected_of_images, expected_of_sounds, generated, inputs_of, perturb,
)

import peft  # noqa: E402
import torch  # noqa: E402
import transformers  # noqa: E402
from safetensors.torch import save_file  # noqa: E402

STEPS = 10
DECODER = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]

# name: (configuration, model, options, modules with adapters). No dropout: steps are compared.
NETWORKS = {
    "gpt2": (
        "GPT2Config", "GPT2LMHeadModel",
        dict(GPT2, attn_pdrop=0.0, embd_pdrop=0.0, resid_pdrop=0.0), ["c_attn", "c_proj", "c_fc"],
    ),
    "llama": ("LlamaConfig", "LlamaForCausalLM", LLAMA, DECODER),
    "smollm": (
        "LlamaConfig", "LlamaForCausalLM",
        dict(LLAMA, rope_parameters=LLAMA3, tie_word_embeddings=True), DECODER,
    ),
    "mistral": ("MistralConfig", "MistralForCausalLM", dict(LLAMA, sliding_window=4), DECODER),
    "qwen2": ("Qwen2Config", "Qwen2ForCausalLM", LLAMA, DECODER),
    "qwen3": ("Qwen3Config", "Qwen3ForCausalLM", dict(LLAMA, head_dim=8), DECODER),
    "gemma3": (
        "Gemma3TextConfig", "Gemma3ForCausalLM",
        dict(
            LLAMA, head_dim=8, sliding_window=3, query_pre_attn_scalar=6,
            layer_types=["sliding_attention", "full_attention"],
        ),
        DECODER,
    ),
    "bert": (
        "BertConfig", "BertForSequenceClassification",
        dict(BERT, num_labels=3, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0),
        ["query", "key", "value", "dense"],
    ),
    "distilbert": (
        "DistilBertConfig", "DistilBertForTokenClassification",
        dict(DISTILBERT, num_labels=4, dropout=0.0, attention_dropout=0.0),
        ["q_lin", "k_lin", "v_lin", "out_lin", "lin1", "lin2"],
    ),
}

# Those whose adapters are of DoRA.
DECOMPOSED = {"bert", "qwen3", "distilbert"}

# Those whose second matrices have biases.
BIASED = {"gpt2"}

# Those of images and sounds: (configuration, model, options, what they compute). Adapters are compared on networks of texts.
OTHERS = {
    "vit": ("ViTConfig", "ViTForImageClassification", dict(VIT, num_labels=5), expected_of_images),
    "clip": ("CLIPConfig", "CLIPModel", CLIP, expected_of_both),
    "whisper": ("WhisperConfig", "WhisperForConditionalGeneration", WHISPER, expected_of_sounds),
}

# How a network is saved.
FORMS = {
    "float32": dict(dtype=torch.float32),
    "float32-shards": dict(dtype=torch.float32, max_shard_size="16KB"),
    "bfloat16": dict(dtype=torch.bfloat16),
    "bfloat16-shards": dict(dtype=torch.bfloat16, max_shard_size="8KB"),
}


def write(folder, name, tensors):
    tensors = {key: value.detach().contiguous().clone() for key, value in tensors.items()}
    save_file(tensors, os.path.join(folder, name))


def load(model_class, folder):
    """What is saved is what counts, computed with in float32."""
    model = getattr(transformers, model_class).from_pretrained(
        folder, dtype=torch.float32, attn_implementation="eager"
    )
    return model.eval()


def outputs(model, name):
    ids, mask = inputs_of(model.config, name)
    found = model(input_ids=ids, attention_mask=mask, output_hidden_states=True)
    hidden = {f"hidden.{i}": state for i, state in enumerate(found.hidden_states)}
    return {"ids": ids.int(), "mask": mask.int(), "logits": found.logits, **hidden, **generated(model, ids)}


def make_other(folder, name):
    config_class, model_class, options, compute = OTHERS[name]
    torch.manual_seed(0)
    model = getattr(transformers, model_class)(getattr(transformers, config_class)(**options))
    perturb(model)
    for form, saving in FORMS.items():
        target = os.path.join(folder, name, form)
        model.to(saving["dtype"]).save_pretrained(target, **{k: v for k, v in saving.items() if k != "dtype"})
        write(target, "expected.safetensors", computed(load(model_class, target), compute))
        model.float()


def computed(model, compute):
    found = compute(model, model.config, "live")
    return {key: value.int() if value.dtype == torch.int64 else value for key, value in found.items()}


def read_other(folder, name):
    """What transformers computes with the network that was saved."""
    _, model_class, _, compute = OTHERS[name]
    write(f"{folder}/{name}", "read.safetensors", computed(load(model_class, f"{folder}/{name}/saved"), compute))


def make_network(folder, name):
    config_class, model_class, options, targets = NETWORKS[name]
    torch.manual_seed(0)
    model = getattr(transformers, model_class)(getattr(transformers, config_class)(**options))
    perturb(model)
    for form, saving in FORMS.items():
        target = os.path.join(folder, name, form)
        model.to(saving["dtype"]).save_pretrained(target, **{k: v for k, v in saving.items() if k != "dtype"})
        write(target, "expected.safetensors", outputs(load(model_class, target), name))
        model.float()
    make_adapter(os.path.join(folder, name), name, model_class, targets)


def make_adapter(folder, name, model_class, targets):
    base = load(model_class, os.path.join(folder, "float32"))
    settings = dict(
        r=2, lora_alpha=6, target_modules=targets, fan_in_fan_out=name == "gpt2",
        use_dora=name in DECOMPOSED, lora_bias=name in BIASED,
    )
    model = peft.get_peft_model(base, peft.LoraConfig(**settings))
    generator = torch.Generator().manual_seed(1)
    for parameter in trained(model).values():
        parameter.data.copy_(0.2 * torch.randn(parameter.shape, generator=generator))
    model.eval()
    target = os.path.join(folder, "adapter")
    model.save_pretrained(target)
    write(target, "expected.safetensors", learn(model, base.config))


def trained(model):
    """Parameters by their names in an adapter's file."""
    named = (
        (key.replace(".default", "").replace("magnitude_vector.weight", "magnitude_vector"), parameter)
        for key, parameter in model.named_parameters()
    )
    return {key: parameter for key, parameter in named if parameter.requires_grad}


def learn(model, config):
    """The gradients of the first of ten steps of AdamW, the loss before each, and the logits after the last."""
    generator = torch.Generator().manual_seed(4)
    ids = torch.randint(3, config.vocab_size, (2, 8), generator=generator)
    found = {"ids": ids.int(), "logits": model(input_ids=ids).logits}
    shape, count = found["logits"].shape[:-1], found["logits"].shape[-1]
    labels = torch.randint(count, shape, generator=generator)
    optimizer = torch.optim.AdamW(trained(model).values(), lr=0.01, weight_decay=0.01, eps=1e-12)
    losses = []
    for step in range(STEPS):
        logits = model(input_ids=ids).logits
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, -2), labels.flatten())
        optimizer.zero_grad()
        loss.backward()
        if step == 0:
            found.update({f"gradient.{key}": parameter.grad.clone() for key, parameter in trained(model).items()})
        optimizer.step()
        losses.append(loss.detach())
    return {**found, "labels": labels.int(), "losses": torch.stack(losses), "learned": model(input_ids=ids).logits}


def read_network(folder, name):
    """The logits of the adapter that was saved, and of the network that it was added to."""
    model_class = NETWORKS[name][1]
    ids = torch.tensor([[5, 9, 14, 20, 27]])
    adapted = peft.PeftModel.from_pretrained(load(model_class, f"{folder}/{name}/float32"), f"{folder}/{name}/saved-adapter")
    merged = load(model_class, f"{folder}/{name}/saved")
    found = {"adapted": adapted.eval()(input_ids=ids).logits, "merged": merged(input_ids=ids).logits}
    write(f"{folder}/{name}", "read.safetensors", found)


command, folder = sys.argv[1:]
for wanted in NETWORKS:
    {"make": make_network, "read": read_network}[command](folder, wanted)
for wanted in OTHERS:
    {"make": make_other, "read": read_other}[command](folder, wanted)
