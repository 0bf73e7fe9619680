/** @file Rotary positions in a configuration: `rope_parameters` of transformers 5, `rope_theta` and `rope_scaling` of earlier ones. */
import { isObject, type Json, type JsonObject } from '../../keras/json/document.ts';
import {
  attentionFactorOf,
  type RopeScaling,
  yarnFactor,
  type YarnRopeScaling,
} from '../layers/ropeScaling.ts';
import type { RotaryOptions } from '../layers/rotaryEmbedding.ts';
import type { ConfigReader } from './configReader.ts';

/** The options of rotary embeddings. `kind` selects among those of several kinds of layers, where there are several. */
export function readRotary(config: ConfigReader, maxWavelength: number, kind?: string): RotaryOptions {
  const parameters = config.field('rope_parameters');
  const older = config.field('rope_scaling');
  const theta = config.number('rope_theta', maxWavelength);
  for (const [field, given] of Object.entries({ rope_parameters: parameters, rope_scaling: older }))
    if (given !== null && !isObject(given)) config.refuse(field, 'is an object');
  const all = isObject(parameters) ? parameters : isObject(older) ? older : {};
  const own = kind !== undefined && isObject(all[kind]) ? (all[kind] as JsonObject) : all;
  const name = isObject(parameters) ? 'rope_parameters' : 'rope_scaling';
  if ((own.rope_theta ?? null) !== null && numberIn(own, 'rope_theta') === null)
    config.refuse(name, 'has a positive `rope_theta`');
  return { maxWavelength: numberIn(own, 'rope_theta') ?? theta, scaling: scalingOf(config, name, own) };
}

/** The field that says the same. */
export function writeRotary({ maxWavelength = 10_000, scaling = null }: RotaryOptions): JsonObject {
  return { rope_type: scaling?.type ?? 'default', rope_theta: maxWavelength, ...writeScaling(scaling) };
}

function writeScaling(scaling: RopeScaling | null): JsonObject {
  if (scaling === null) return {};
  if (scaling.type === 'linear') return { factor: scaling.factor };
  const { factor, originalMaxPositions } = scaling;
  const common = { factor, original_max_position_embeddings: originalMaxPositions };
  if (scaling.type === 'llama3')
    return { ...common, low_freq_factor: scaling.lowFreqFactor, high_freq_factor: scaling.highFreqFactor };
  return {
    ...common,
    beta_fast: scaling.betaFast ?? 32,
    beta_slow: scaling.betaSlow ?? 1,
    attention_factor: attentionFactorOf(scaling),
    truncate: scaling.truncate ?? true,
  };
}

function scalingOf(config: ConfigReader, name: string, given: JsonObject): RopeScaling | null {
  const type = given.rope_type ?? given.type ?? 'default';
  const { partial_rotary_factor: part = 1 } = given;
  if (part !== 1) {
    config.refuse(name, 'turns all features (`partial_rotary_factor` is 1)');
    return null;
  }
  if (type === 'default') return null;
  const factor = numberIn(given, 'factor');
  const original = numberIn(given, 'original_max_position_embeddings');
  if (factor !== null && type === 'linear') return { type, factor };
  if (factor !== null && type === 'llama3') {
    const [lowFreqFactor, highFreqFactor] = [
      numberIn(given, 'low_freq_factor'),
      numberIn(given, 'high_freq_factor'),
    ];
    if (lowFreqFactor !== null && highFreqFactor !== null && original !== null)
      return { type, factor, lowFreqFactor, highFreqFactor, originalMaxPositions: original };
  }
  const originalMaxPositions = original ?? config.integer('max_position_embeddings', null);
  if (factor !== null && type === 'yarn' && originalMaxPositions !== null)
    return { ...yarnOf(given, factor), originalMaxPositions };
  config.refuse(name, 'has the type default, linear, llama3 or yarn, with all its factors');
  return null;
}

function yarnOf(given: JsonObject, factor: number): Omit<YarnRopeScaling, 'originalMaxPositions'> {
  const [strength, whole] = [numberIn(given, 'mscale'), numberIn(given, 'mscale_all_dim')];
  const usual =
    strength !== null && whole !== null
      ? yarnFactor(factor, strength) / yarnFactor(factor, whole)
      : yarnFactor(factor);
  return {
    type: 'yarn',
    factor,
    betaFast: numberIn(given, 'beta_fast') ?? 32,
    betaSlow: numberIn(given, 'beta_slow') ?? 1,
    attentionFactor: numberIn(given, 'attention_factor') ?? usual,
    truncate: given.truncate !== false,
  };
}

function numberIn(object: JsonObject, name: string): number | null {
  const value: Json | undefined = object[name];
  return typeof value === 'number' && value > 0 ? value : null;
}
