/** @file loadGenerationOptions: how the authors of a network have it generate, from `generation_config.json`. */
import { checkSignal } from '../../core/abortSignal.ts';
import { FormatError, ValueError } from '../../core/errors.ts';
import { describe } from '../../core/describe.ts';
import { isListOf } from '../../core/lists.ts';
import { checkOptions } from '../../core/options.ts';
import type { Json } from '../../keras/json/document.ts';
import { openFolder, type PretrainedSource } from '../checkpoints/folder.ts';
import { readFile } from '../checkpoints/readFile.ts';
import type { LoadOptions } from '../preprocessing/preprocessorConfig.ts';
import type { GenerateOptions } from './generateOptions.ts';

/** Options of `loadGenerationOptions`. */
export interface LoadGenerationOptions extends LoadOptions {
  /** Fields of the file that are left out, if they aren't supported. Default: none. */
  readonly ignoreConfig?: readonly string[] | undefined;
}

const file = 'generation_config.json';

/** The options of `generate`, by transformers' names. */
const always: Readonly<Record<string, keyof GenerateOptions>> = {
  max_new_tokens: 'maxNewTokens',
  min_new_tokens: 'minNewTokens',
  num_beams: 'numBeams',
  length_penalty: 'lengthPenalty',
  early_stopping: 'earlyStopping',
  num_return_sequences: 'numReturnSequences',
  repetition_penalty: 'repetitionPenalty',
  no_repeat_ngram_size: 'noRepeatNgramSize',
  bad_words_ids: 'badWords',
  suppress_tokens: 'suppressTokens',
  begin_suppress_tokens: 'beginSuppressTokens',
};

/** Those of draws, which transformers doesn't read unless `do_sample` is true. */
const ofDraws: Readonly<Record<string, keyof GenerateOptions>> = {
  temperature: 'temperature',
  top_k: 'topK',
  top_p: 'topP',
  min_p: 'minP',
  typical_p: 'typicalP',
};

/** Fields that choose no token; that `fromPretrained` reads; and `max_length`, which counts the prompt. */
const harmless = new Set(
  `bos_token_id pad_token_id eos_token_id decoder_start_token_id do_sample max_length
  transformers_version _from_model_config use_cache cache_implementation cache_config max_cache_len low_memory
  output_attentions output_hidden_states output_scores output_logits return_dict_in_generate compile_config disable_compile
  is_assistant num_assistant_tokens num_assistant_tokens_schedule assistant_confidence_threshold assistant_lookbehind target_lookbehind
  prefill_chunk_size is_multilingual lang_to_id task_to_id no_timestamps_token_id prev_sot_token_id alignment_heads
  max_initial_timestamp_index return_timestamps forced_decoder_ids language task`.split(/\s+/),
);

/** Values of other fields that change nothing. */
const neutral: Readonly<Record<string, Json>> = {
  min_length: 0,
  num_beam_groups: 1,
  diversity_penalty: 0,
  epsilon_cutoff: 0,
  eta_cutoff: 0,
  encoder_no_repeat_ngram_size: 0,
  encoder_repetition_penalty: 1,
  guidance_scale: 1,
  penalty_alpha: 0,
  condition_on_prev_tokens: false,
  remove_invalid_values: false,
  renormalize_logits: false,
  token_healing: false,
};

/**
 * Loads the options that a network's `generation_config.json` says to generate with, as `transformers` reads them:
 *
 *     const options = await loadGenerationOptions('models/qwen');
 *     const [tokens] = await net.generate([prompt], { ...options, maxNewTokens: 100 });
 *
 * Without `do_sample` the most probable token is taken. `max_length` isn't read: it counts the prompt, too.
 * Errors: FormatError for a file that is missing or damaged, and for one with settings that `generate` has no option for, all of which it
 * names; ValueError for invalid options.
 */
export async function loadGenerationOptions(
  source: PretrainedSource,
  options: LoadGenerationOptions = {},
): Promise<GenerateOptions> {
  const op = 'loadGenerationOptions';
  checkOptions(op, options, ['signal', 'ignoreConfig']);
  const { signal, ignoreConfig = [] } = options;
  checkSignal(op, signal);
  if (!isListOf(ignoreConfig, (field) => typeof field === 'string')) {
    throw new ValueError({
      op,
      rule: '`ignoreConfig` has names of fields.',
      received: describe(ignoreConfig),
      hint: "pass ['max_time'], or leave it out.",
    });
  }
  const json = await readFile(await openFolder(source, { signal }), file);
  const given = Object.entries(json).filter(
    ([field, value]) => value !== null && !ignoreConfig.includes(field),
  );
  const isKnown = (field: string) =>
    harmless.has(field) || Object.hasOwn(always, field) || Object.hasOwn(ofDraws, field);
  const others = given.filter(
    ([field, value]) => !isKnown(field) && !(Object.hasOwn(neutral, field) && neutral[field] === value),
  );
  if (others.length > 0) throw unsupported(others);
  const isDrawn = json.do_sample === true && !ignoreConfig.includes('do_sample');
  const names = isDrawn ? { ...always, ...ofDraws } : always;
  const read = given.flatMap(([field, value]): [string, Json][] => {
    const name = Object.hasOwn(names, field) ? names[field] : undefined;
    return name === undefined ? [] : [[name, value]];
  });
  // What transformers takes where a file says that tokens are drawn, and nothing else.
  const { topK, ...found } = Object.fromEntries(isDrawn ? [['temperature', 1], ['topK', 50], ...read] : read);
  return { ...found, ...(topK === undefined || topK === 0 ? {} : { topK }) } as GenerateOptions;
}

function unsupported(fields: readonly (readonly [string, Json])[]): FormatError {
  const names = fields.map(([field]) => `'${field}'`).join(', ');
  return new FormatError({
    op: file,
    rule: 'each setting is an option of `generate`.',
    received: fields.map(([field, value]) => `${field}: ${JSON.stringify(value).slice(0, 80)}`).join('; '),
    hint: `if it doesn't matter, leave it out: loadGenerationOptions(source, { ignoreConfig: [${names}] }).`,
  });
}
