/** @file Rotary positions in a configuration: `rope_parameters` of transformers 5, `rope_theta` and `rope_scaling` of earlier ones. */
import { isObject, type Json, type JsonObject } from '../../keras/json/document.ts';
import { attentionFactorOf, type RopeScaling, yarnFactor } from '../layers/ropeScaling.ts';
import type { RotaryOptions } from '../layers/rotaryEmbedding.ts';
import type { ConfigReader } from './configReader.ts';

/** All fields of scalings that are read. */
const known = new Set(
  `rope_type type rope_theta factor original_max_position_embeddings low_freq_factor high_freq_factor beta_fast beta_slow
  attention_factor mscale mscale_all_dim truncate short_factor long_factor partial_rotary_factor finetuned`.split(
    /\s+/,
  ),
);

/** The kinds of layers of a model in which they differ. */
export type LayerKind = 'full_attention' | 'sliding_attention';

/**
 * The options of rotary embeddings. `kind` selects among those of several kinds of layers, where there are several; older fields are those
 * of layers that see all tokens.
 */
export function readRotary(config: ConfigReader, maxWavelength: number, kind?: LayerKind): RotaryOptions {
  const parameters = config.field('rope_parameters');
  const older = config.field('rope_scaling');
  const theta = config.number('rope_theta', null);
  config.requireValue('partial_rotary_factor', 1);
  for (const [field, given] of Object.entries({ rope_parameters: parameters, rope_scaling: older }))
    if (given !== null && !isObject(given)) config.refuse(field, 'is an object');
  const isLocal = kind === 'sliding_attention';
  const name = isObject(parameters) ? 'rope_parameters' : 'rope_scaling';
  const all = isObject(parameters) ? parameters : isObject(older) && !isLocal ? older : {};
  const isNested = kind !== undefined && isObject(parameters);
  const own = isNested ? (all[kind] ?? {}) : all;
  if (!isObject(own) || (isNested && !Object.keys(all).every((key) => kinds.has(key)))) {
    config.refuse(name, `has an object for each of ${[...kinds].join(', ')}`);
    return {};
  }
  if (isObject(parameters) && isObject(older) && Object.keys(older).length > 0)
    config.refuse('rope_scaling', 'is empty where `rope_parameters` are given');
  // transformers reads `truncate` of models without kinds of layers only.
  const read = new Fields(config, name, isNested ? { ...own, truncate: true } : own);
  const unknown = Object.keys(own).find((key) => !known.has(key));
  if (unknown !== undefined) read.refuse(`has no \`${unknown.slice(0, 40)}\``);
  const wavelength = read.positive('rope_theta') ?? (isLocal ? null : theta) ?? maxWavelength;
  return { maxWavelength: wavelength, scaling: scalingOf(config, read) };
}

const kinds = new Set<string>(['full_attention', 'sliding_attention']);

/** The field that says the same. */
export function writeRotary({ maxWavelength = 10_000, scaling = null }: RotaryOptions): JsonObject {
  return { rope_type: scaling?.type ?? 'default', rope_theta: maxWavelength, ...writeScaling(scaling) };
}

/** What a configuration says of the longest sequence: dynamic positions depend on it. */
export function maxPositions({ scaling }: RotaryOptions, maxSequenceLength: number): number {
  return scaling?.type === 'dynamic' ? scaling.originalMaxPositions : maxSequenceLength;
}

function writeScaling(scaling: RopeScaling | null): JsonObject {
  if (scaling === null) return {};
  if (scaling.type === 'linear' || scaling.type === 'dynamic') return { factor: scaling.factor };
  const original = { original_max_position_embeddings: scaling.originalMaxPositions };
  if (scaling.type === 'longrope')
    return {
      ...original,
      short_factor: [...scaling.shortFactor],
      long_factor: [...scaling.longFactor],
      attention_factor: attentionFactorOf(scaling),
    };
  const common = { factor: scaling.factor, ...original };
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

function scalingOf(config: ConfigReader, read: Fields): RopeScaling | null {
  const type = read.json.rope_type ?? read.json.type ?? 'default';
  const { partial_rotary_factor: part = 1 } = read.json;
  if (part !== 1) {
    read.refuse('turns all features (`partial_rotary_factor` is 1)');
    return null;
  }
  if (type === 'default') return null;
  const make = typeof type === 'string' && Object.hasOwn(scalings, type) ? scalings[type] : undefined;
  const longest = config.integer('max_position_embeddings', null);
  const original =
    config.integer('original_max_position_embeddings', null) ??
    read.positive('original_max_position_embeddings') ??
    longest;
  const made = make?.(read, original, longest) ?? null;
  if (made === null)
    read.refuse(`has one of the types default, ${Object.keys(scalings).join(', ')}, with all its factors`);
  return made;
}

type Make = (read: Fields, original: number | null, longest: number | null) => RopeScaling | null;

/** What is made of the fields of each type; null if one is missing. */
const scalings: Readonly<Record<string, Make>> = {
  linear: (read) => {
    const factor = read.positive('factor');
    return factor === null ? null : { type: 'linear', factor };
  },
  llama3: (read, original) => {
    const [factor, low, high] = ['factor', 'low_freq_factor', 'high_freq_factor'].map((name) =>
      read.positive(name),
    ) as [number | null, number | null, number | null];
    if (factor === null || low === null || high === null || original === null) return null;
    return {
      type: 'llama3',
      factor,
      lowFreqFactor: low,
      highFreqFactor: high,
      originalMaxPositions: original,
    };
  },
  yarn: (read, original, longest) => {
    // It is there, but may be null.
    const factor = 'factor' in read.json ? factorOf(read, original, longest) : null;
    if (factor === null || original === null) return null;
    const [strength, whole] = [read.positive('mscale'), read.positive('mscale_all_dim')];
    const usual =
      strength !== null && whole !== null
        ? yarnFactor(factor, strength) / yarnFactor(factor, whole)
        : yarnFactor(factor);
    const { truncate = true } = read.json;
    if (typeof truncate !== 'boolean') return null;
    return {
      type: 'yarn',
      factor,
      betaFast: read.positive('beta_fast') ?? 32,
      betaSlow: read.positive('beta_slow') ?? 1,
      attentionFactor: read.positive('attention_factor') ?? usual,
      truncate,
      originalMaxPositions: original,
    };
  },
  dynamic: (read, _, longest) => {
    const factor = read.positive('factor');
    return factor === null || longest === null
      ? null
      : { type: 'dynamic', factor, originalMaxPositions: longest };
  },
  longrope: (read, original, longest) => {
    const [shortFactor, longFactor] = [read.factors('short_factor'), read.factors('long_factor')];
    const factor = factorOf(read, original, longest);
    if (factor === null || original === null || shortFactor === null || longFactor === null) return null;
    const usual = factor <= 1 ? 1 : Math.sqrt(1 + Math.log(factor) / Math.log(original));
    const attentionFactor = read.positive('attention_factor') ?? usual;
    return { type: 'longrope', shortFactor, longFactor, originalMaxPositions: original, attentionFactor };
  },
};

function factorOf(read: Fields, original: number | null, longest: number | null): number | null {
  return read.positive('factor') ?? (original !== null && longest !== null ? longest / original : null);
}

/** The numbers of a field that is an object. */
class Fields {
  constructor(
    private readonly config: ConfigReader,
    private readonly name: string,
    readonly json: JsonObject,
  ) {}

  /** A positive number; null if there is none. Anything else is noted as a fault. */
  positive(name: string): number | null {
    const value = this.json[name] ?? null;
    if (value === null || isPositive(value)) return value;
    this.refuse(`has a positive \`${name}\``);
    return null;
  }

  /** Positive numbers; null if there are none. */
  factors(name: string): number[] | null {
    const value = this.json[name] ?? null;
    return Array.isArray(value) && value.length > 0 && value.every(isPositive) ? value : null;
  }

  refuse(rule: string): void {
    this.config.refuse(this.name, rule);
  }
}

const isPositive = (value: Json): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0;
