/** @file KerasHub's presets of Llama, Llama 3, Mistral, Qwen and Qwen3. */
import type { ConfigReader } from '../checkpoints/configReader.ts';
import type { RotaryOptions } from '../layers/rotaryEmbedding.ts';
import type { LlamaBackbone, LlamaBackboneOptions } from '../models/llama.ts';
import { llamaBlockAt } from './kerasBlocks.ts';
import type { Preset } from './preset.ts';
import { numbered, weightsAt } from './presetWeights.ts';

/** What distinguishes the models. */
interface Variant {
  /** KerasHub's names of the class begin with it. */
  readonly name: string;
  readonly modelType: NonNullable<LlamaBackboneOptions['modelType']>;
  /** The beginning of the groups of its own layers, in snake case. */
  readonly group: string;
  /** The group of the last normalization. */
  readonly lastNorm: string;
  read(config: ConfigReader): Partial<LlamaBackboneOptions>;
}

/** Rotary positions with a linear factor, which KerasHub divides positions by. */
function linearRotary(config: ConfigReader): RotaryOptions {
  const factor = config.number('rope_scaling_factor', 1);
  return {
    maxWavelength: config.number('rope_max_wavelength', 10_000),
    scaling: factor === 1 ? null : { type: 'linear', factor },
  };
}

/** Rotary positions with Llama 3's adjustment of frequencies, or without. */
function llamaRotary(config: ConfigReader): RotaryOptions {
  // KerasHub reads the field, but computes without it.
  config.requireValue('rope_position_scaling_factor', 1);
  const maxWavelength = config.number('rope_max_wavelength', 10_000);
  const factor = config.number('rope_frequency_adjustment_factor', null);
  const lowFreqFactor = config.number('rope_low_freq_factor', null);
  const highFreqFactor = config.number('rope_high_freq_factor', null);
  const originalMaxPositions = config.integer('rope_pretraining_sequence_length', null);
  if (factor === null) return { maxWavelength };
  if (lowFreqFactor !== null && highFreqFactor !== null && originalMaxPositions !== null) {
    const factors = { factor, lowFreqFactor, highFreqFactor, originalMaxPositions };
    return { maxWavelength, scaling: { type: 'llama3', ...factors } };
  }
  config.refuse('rope_frequency_adjustment_factor', 'comes with all factors of Llama 3');
  return { maxWavelength };
}

const isTied = (config: ConfigReader, usual: boolean) => ({
  tieWordEmbeddings: config.boolean('tie_word_embeddings', usual),
});

const llama: Omit<Variant, 'name'> = {
  modelType: 'llama',
  group: 'llama_transformer_decoder',
  lastNorm: 'llama_layer_norm',
  read: (config) => ({ rotary: llamaRotary(config), ...isTied(config, false) }),
};

const variants: readonly Variant[] = [
  { name: 'Llama', ...llama },
  { name: 'Llama3', ...llama },
  {
    name: 'Mistral',
    modelType: 'mistral',
    group: 'mistral_transformer_decoder',
    lastNorm: 'mistral_layer_normalization',
    read: (config) => ({
      rotary: linearRotary(config),
      headDim: config.integer('head_dim', null),
      slidingWindow: config.integer('sliding_window', null),
    }),
  },
  {
    name: 'Qwen',
    modelType: 'qwen2',
    group: 'qwen_transformer_decoder',
    lastNorm: 'qwen_layer_norm',
    read: (config) => {
      const window = config.integer('sliding_window_size', 32_768);
      const slides = config.boolean('use_sliding_window_attention', false);
      return {
        rotary: linearRotary(config),
        attentionBias: 'queryKeyValue',
        slidingWindow: slides ? window : null,
        ...isTied(config, true),
      };
    },
  },
  {
    name: 'Qwen3',
    modelType: 'qwen3',
    group: 'qwen3_transformer_decoder',
    lastNorm: 'qwen3_layer_norm',
    read: (config) => ({
      rotary: linearRotary(config),
      headDim: config.integer('head_dim'),
      normalizeQueryKey: true,
      slidingWindow: config.integer('sliding_window_size', null),
      ...isTied(config, true),
    }),
  },
];

function presetOf({
  name,
  modelType,
  group,
  lastNorm,
  read,
}: Variant): Preset<LlamaBackbone, LlamaBackboneOptions> {
  return {
    className: `${name}Backbone`,
    modelType,
    read: (config, task) => {
      config.requireValue('dropout', 0);
      const own = read(config);
      return {
        modelType,
        vocabularySize: config.integer('vocabulary_size'),
        numLayers: config.integer('num_layers'),
        numQueryHeads: config.integer('num_query_heads'),
        numKeyValueHeads: config.integer('num_key_value_heads'),
        hiddenDim: config.integer('hidden_dim'),
        intermediateDim: config.integer('intermediate_dim'),
        layerNormEpsilon: config.number('layer_norm_epsilon', 1e-6),
        ...own,
        // Only logits need a matrix of their own.
        tieWordEmbeddings: own.tieWordEmbeddings === true || task !== 'causalLM',
      };
    },
    weights: (net) => [
      ...weightsAt('layers/reversible_embedding', net.tokenEmbedding),
      ...numbered(`layers/${group}`, net.transformerLayers, llamaBlockAt),
      ...weightsAt(`layers/${lastNorm}`, net.layerNorm),
    ],
    heads: { causalLM: { classNames: [`${name}CausalLM`] } },
    leftOut: /^layers\/reversible_embedding\/1$/,
  };
}

export const llamaPresets: Readonly<Record<string, Preset<LlamaBackbone, LlamaBackboneOptions>>> =
  Object.fromEntries(variants.map((variant) => [variant.name, presetOf(variant)]));
