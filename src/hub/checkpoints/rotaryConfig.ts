/** @file Rotary positions in a configuration: `rope_parameters` of transformers 5, `rope_theta` and `rope_scaling` of earlier ones. */
import { isObject, type Json, type JsonObject } from '../../keras/json/document.ts';
import type { RotaryOptions } from '../layers/rotaryEmbedding.ts';
import type { ConfigReader } from './configReader.ts';

/** The options of rotary embeddings. `kind` selects among those of several kinds of layers, where there are several. */
export function readRotary(config: ConfigReader, maxWavelength: number, kind?: string): RotaryOptions {
  const parameters = config.field('rope_parameters');
  const older = config.field('rope_scaling');
  const theta = config.number('rope_theta', maxWavelength);
  const all = isObject(parameters) ? parameters : isObject(older) ? older : {};
  const own = kind !== undefined && isObject(all[kind]) ? (all[kind] as JsonObject) : all;
  const name = isObject(parameters) ? 'rope_parameters' : 'rope_scaling';
  return { maxWavelength: numberIn(own, 'rope_theta') ?? theta, scaling: scalingOf(config, name, own) };
}

/** The field that says the same. */
export function writeRotary({ maxWavelength = 10_000, scaling = null }: RotaryOptions): JsonObject {
  const type = scaling?.type ?? 'default';
  const factor: JsonObject = scaling ? { factor: scaling.factor } : {};
  const bounds: JsonObject =
    scaling?.type === 'llama3'
      ? {
          low_freq_factor: scaling.lowFreqFactor,
          high_freq_factor: scaling.highFreqFactor,
          original_max_position_embeddings: scaling.originalMaxPositions,
        }
      : {};
  return { rope_type: type, rope_theta: maxWavelength, ...factor, ...bounds };
}

function scalingOf(config: ConfigReader, name: string, given: JsonObject): RotaryOptions['scaling'] {
  const type = given.rope_type ?? given.type ?? 'default';
  const { partial_rotary_factor: part = 1 } = given;
  const values = {
    factor: numberIn(given, 'factor'),
    lowFreqFactor: numberIn(given, 'low_freq_factor'),
    highFreqFactor: numberIn(given, 'high_freq_factor'),
    originalMaxPositions: numberIn(given, 'original_max_position_embeddings'),
  };
  const { factor } = values;
  if (part !== 1) config.refuse(name, 'turns all features (`partial_rotary_factor` is 1)');
  else if (type === 'linear' && factor !== null) return { type, factor };
  else if (type === 'llama3' && Object.values(values).every((value) => value !== null))
    return { type, ...values } as RotaryOptions['scaling'];
  else if (type !== 'default')
    config.refuse(name, 'has the type default, linear or llama3, with all its factors');
  return null;
}

function numberIn(object: JsonObject, name: string): number | null {
  const value: Json | undefined = object[name];
  return typeof value === 'number' && value > 0 ? value : null;
}
