/**
 * @file ConfigReader: reads a `config.json` of Hugging Face. A field that changes what a model computes is either read or refused:
 * none is ignored.
 */
import { describe } from '../../core/describe.ts';
import { FormatError } from '../../core/errors.ts';
import { isObject, type Json, type JsonObject } from '../../keras/json/document.ts';
import type { TransformerActivation } from '../layers/activationNames.ts';
import type { Task } from '../models/heads.ts';

/** Fields of any model that say nothing about what it computes: names, tokens, and defaults of training and generation. */
const harmless = new Set(
  `architectures model_type transformers_version torch_dtype dtype _name_or_path _commit_hash _attn_implementation
  attn_implementation initializer_range initializer_factor use_cache gradient_checkpointing torchscript return_dict
  output_attentions output_hidden_states use_return_dict chunk_size_feed_forward
  id2label label2id num_labels problem_type finetuning_task task_specific_params tokenizer_class prefix name_or_path
  bos_token_id eos_token_id pad_token_id sep_token_id cls_token_id mask_token_id unk_token_id decoder_start_token_id
  vocab_file _from_auto auto_map language architecture use_bfloat16 tf_legacy_loss
  max_length min_length do_sample early_stopping num_beams num_beam_groups diversity_penalty temperature top_k top_p
  typical_p repetition_penalty length_penalty no_repeat_ngram_size encoder_no_repeat_ngram_size bad_words_ids
  num_return_sequences output_scores return_dict_in_generate forced_bos_token_id forced_eos_token_id
  remove_invalid_values exponential_decay_length_penalty suppress_tokens begin_suppress_tokens
  classifier_dropout summary_type summary_use_proj summary_activation summary_first_dropout summary_proj_to_labels`
    .split(/\s+/)
    .filter(Boolean),
);

/** transformers' names of activations. */
const activations: Readonly<Record<string, TransformerActivation>> = {
  relu: 'relu',
  relu2: 'squaredRelu',
  gelu: 'gelu',
  gelu_python: 'gelu',
  gelu_new: 'geluTanh',
  gelu_fast: 'geluTanh',
  gelu_pytorch_tanh: 'geluTanh',
  silu: 'silu',
  swish: 'silu',
  quick_gelu: 'quickGelu',
  tanh: 'tanh',
};

/** transformers' name of an activation. */
export function activationName(activation: TransformerActivation): string {
  if (activation === 'geluTanh') return 'gelu_pytorch_tanh';
  return Object.entries(activations).find(([, known]) => known === activation)?.[0] ?? activation;
}

/** Fields of any model that have one supported value, unless its family reads them. */
const usual = {
  is_decoder: false,
  is_encoder_decoder: false,
  add_cross_attention: false,
  tie_encoder_decoder: false,
  pretraining_tp: 1,
};

export class ConfigReader {
  readonly #read = new Set<string>();
  readonly #faults: string[] = [];
  readonly #sections: ConfigReader[] = [];

  /** `left` are fields that the caller leaves out on purpose; `file` is named in errors, and `path` is in front of fields. */
  constructor(
    readonly json: JsonObject,
    readonly file: string,
    private readonly left: readonly string[] = [],
    private readonly path = '',
  ) {
    this.leave(...left);
  }

  /** The fields of a part of the model, which is an object in the file, or empty if the file hasn't it; with those of `more`. */
  section(name: string, more: JsonObject = {}): ConfigReader {
    const given = this.field(name) ?? {};
    if (!isObject(given)) this.refuse(name, 'is an object');
    const fields = isObject(given) ? { ...given, ...more } : more;
    const made = new ConfigReader(fields, this.file, this.left, `${this.path}${name}.`);
    this.#sections.push(made);
    return made;
  }

  /** The value of a field; null if the file hasn't it. */
  field(name: string): Json {
    this.#read.add(name);
    return this.json[name] ?? null;
  }

  /** A positive integer. */
  integer<D extends number | null = number>(name: string, fallback?: D): number | D {
    return this.#value(
      name,
      fallback,
      'a positive integer',
      (value) => Number.isSafeInteger(value) && (value as number) > 0,
    );
  }

  /** An integer that may be 0. */
  count(name: string, fallback: number): number {
    return this.#value(
      name,
      fallback,
      'a non-negative integer',
      (value) => Number.isSafeInteger(value) && (value as number) >= 0,
    );
  }

  /** A finite number. */
  number<D extends number | null = number>(name: string, fallback?: D): number | D {
    return this.#value(name, fallback, 'a number', (value) => Number.isFinite(value));
  }

  boolean(name: string, fallback: boolean): boolean {
    return this.#value(name, fallback, 'true or false', (value) => typeof value === 'boolean');
  }

  activation(name: string, fallback: string): TransformerActivation {
    const given = this.field(name) ?? fallback;
    const known =
      typeof given === 'string' && Object.hasOwn(activations, given) ? activations[given] : undefined;
    if (known === undefined) this.refuse(name, `is one of ${Object.keys(activations).join(', ')}`);
    return known ?? 'gelu';
  }

  /** Notes a fault unless the field is missing or has the only value that is supported. */
  requireValue(name: string, ...supported: readonly Json[]): void {
    const given = this.field(name);
    if (given === null || supported.includes(given)) return;
    this.refuse(name, `is ${supported.map((value) => JSON.stringify(value)).join(' or ') || 'null'}`);
  }

  /** Notes a fault where logits of tokens have a matrix of their own. Other heads don't use one. */
  requireTiedEmbeddings(task: Task): void {
    if (task === 'causalLM' || task === 'maskedLM') this.requireValue('tie_word_embeddings', true);
    else this.leave('tie_word_embeddings');
  }

  /** Which layers see only a window, and how wide it is: `layer_types`, or all layers where `sliding_window` alone is given. */
  slidingWindow(
    numLayers: number,
    isUsed = true,
  ): { slidingWindow: number | null; slidingLayers: boolean[] | null } {
    const isGiven = 'sliding_window' in this.json;
    const slidingWindow = isUsed ? this.integer('sliding_window', isGiven ? null : 4096) : null;
    this.leave('sliding_window');
    const types = this.field('layer_types');
    if (!Array.isArray(types)) return { slidingWindow, slidingLayers: null };
    const isKnown = types.every((type) => type === 'full_attention' || type === 'sliding_attention');
    if (!isKnown || types.length !== numLayers)
      this.refuse('layer_types', `are ${numLayers} of full_attention or sliding_attention`);
    return { slidingWindow, slidingLayers: types.map((type) => type === 'sliding_attention') };
  }

  /** Fields that don't change what the model computes here. */
  leave(...names: readonly string[]): void {
    for (const name of names) this.#read.add(name);
  }

  /** Notes that a field has a value that isn't supported; `rule` says what is. */
  refuse(name: string, rule: string): void {
    this.#read.add(name);
    this.#faults.push(`\`${this.path}${name}\` ${rule}, here it is ${shown(this.json[name])}`);
  }

  /** Errors: FormatError that names all fields whose values aren't supported, and all that are unknown. */
  finish(): void {
    const faults = this.#allFaults();
    if (faults.length === 0) return;
    throw new FormatError({
      op: this.file,
      rule: 'every field that changes what a model computes is supported.',
      received: faults.join('; '),
      hint: "if a field doesn't matter, leave it out: fromPretrained(source, { ignoreConfig: ['its_name'] }).",
    });
  }

  #allFaults(): string[] {
    for (const [name, value] of Object.entries(usual))
      if (!this.#read.has(name)) this.requireValue(name, value);
    // Heads that were cut out of layers, an object of lists.
    if (Object.keys(this.field('pruned_heads') ?? {}).length > 0) this.refuse('pruned_heads', 'is empty');
    const unknown = Object.entries(this.json).filter(
      ([name, value]) => !this.#read.has(name) && !harmless.has(name) && value !== null,
    );
    return [
      ...this.#faults,
      ...unknown.map(
        ([name, value]) => `\`${this.path}${cut(name)}\` is unknown, here it is ${shown(value)}`,
      ),
      ...this.#sections.flatMap((section) => section.#allFaults()),
    ];
  }

  #value<T>(name: string, fallback: T | undefined, what: string, fits: (value: unknown) => boolean): T {
    const given = this.field(name) ?? fallback;
    if (given === null || fits(given)) return given as T;
    throw new FormatError({
      op: this.file,
      rule: `\`${this.path}${name}\` is ${what}.`,
      received: given === undefined ? `no \`${name}\`` : shown(given as Json),
      hint: 'the file is damaged, or of another kind of model.',
    });
  }
}

function shown(value: Json | undefined): string {
  return cut(JSON.stringify(value) ?? describe(value));
}

function cut(text: string): string {
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}
