/** @file How rotary embeddings are stretched to texts that are longer than those of the first training. */
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/describe.ts';
import { checkOptions } from '../../core/options.ts';
import { requireBoolean, requireFinite } from '../../core/shape.ts';

/** Positions are divided by `factor`. Chen et al., "Extending context window by positional interpolation", 2023. */
export interface LinearRopeScaling {
  type: 'linear';
  factor: number;
}

/**
 * Llama 3.1's: pairs that turn slowly, less than `lowFreqFactor` times in the original context, are slowed down by `factor`; those that
 * turn more than `highFreqFactor` times aren't; between both it is interpolated.
 */
export interface Llama3RopeScaling {
  type: 'llama3';
  factor: number;
  lowFreqFactor: number;
  highFreqFactor: number;
  originalMaxPositions: number;
}

/**
 * YaRN: pairs that turn less than `betaSlow` times in the original context are slowed down by `factor`; those that turn more than
 * `betaFast` times aren't; pairs between both are interpolated by their number. Queries and keys are also multiplied by
 * `attentionFactor`. Peng et al., "YaRN: efficient context window extension of large language models", 2023.
 */
export interface YarnRopeScaling {
  type: 'yarn';
  factor: number;
  originalMaxPositions: number;
  /** Default 32. */
  betaFast?: number;
  /** Default 1. */
  betaSlow?: number;
  /** Default 0.1 ln(factor) + 1, or 1 for a factor of 1 or less. */
  attentionFactor?: number;
  /** Whether the interpolation begins and ends at a whole pair. Default true. */
  truncate?: boolean;
}

/**
 * By the length of a sequence: beyond `originalMaxPositions`, the longest wavelength grows with it. Positions of earlier calls of a
 * generation stay as they were turned, as in transformers.
 */
export interface DynamicRopeScaling {
  type: 'dynamic';
  factor: number;
  originalMaxPositions: number;
}

/**
 * LongRoPE: each pair is slowed down by a factor of its own, those of `shortFactor` in sequences up to `originalMaxPositions`, and
 * those of `longFactor` in longer ones. Queries and keys are also multiplied by `attentionFactor`. Ding et al., "LongRoPE", 2024.
 */
export interface LongRopeScaling {
  type: 'longrope';
  /** One for each pair of features. */
  shortFactor: readonly number[];
  longFactor: readonly number[];
  originalMaxPositions: number;
  /** Default 1. */
  attentionFactor?: number;
}

/** A way to stretch rotary embeddings. */
export type RopeScaling =
  | LinearRopeScaling
  | Llama3RopeScaling
  | YarnRopeScaling
  | DynamicRopeScaling
  | LongRopeScaling;

/** The numbers of each type, and which of them have a default. */
const fields: Readonly<
  Record<RopeScaling['type'], Readonly<Record<string, 'required' | 'optional' | 'list'>>>
> = {
  linear: { factor: 'required' },
  llama3: {
    factor: 'required',
    lowFreqFactor: 'required',
    highFreqFactor: 'required',
    originalMaxPositions: 'required',
  },
  yarn: {
    factor: 'required',
    originalMaxPositions: 'required',
    betaFast: 'optional',
    betaSlow: 'optional',
    attentionFactor: 'optional',
  },
  dynamic: { factor: 'required', originalMaxPositions: 'required' },
  longrope: {
    shortFactor: 'list',
    longFactor: 'list',
    originalMaxPositions: 'required',
    attentionFactor: 'optional',
  },
};

/** Errors: ValueError for other types, and for factors that aren't positive numbers. */
export function requireRopeScaling(op: string, what: string, value: RopeScaling): void {
  const { type } = (value ?? {}) as Partial<RopeScaling>;
  if (type === undefined || !Object.hasOwn(fields, type)) {
    throw new ValueError({
      op,
      rule: `\`${what}\` has one of the types ${Object.keys(fields).join(', ')}.`,
      received: `${what}: ${describe(value)}`,
      hint: 'leave it out for positions as they are.',
    });
  }
  const truncates = type === 'yarn' ? ['truncate'] : [];
  checkOptions(op, value, ['type', ...Object.keys(fields[type]), ...truncates]);
  for (const [field, need] of Object.entries(fields[type])) {
    const given: unknown = (value as never)[field];
    const name = `${what}.${field}`;
    if (need === 'list') requireFactors(op, name, given);
    else if (given !== undefined || need === 'required')
      requireFinite(op, name, given as number, Number.MIN_VALUE);
  }
  if (value.type === 'yarn') requireBoolean(op, `${what}.truncate`, value.truncate ?? true);
}

function requireFactors(op: string, what: string, given: unknown): void {
  if (Array.isArray(given) && given.length > 0) {
    for (const [i, factor] of given.entries()) requireFinite(op, `${what}[${i}]`, factor, Number.MIN_VALUE);
    return;
  }
  throw new ValueError({
    op,
    rule: `\`${what}\` has a positive number for each pair of features.`,
    received: `${what}: ${describe(given)}`,
    hint: 'pass a list, as long as half of the rotated features.',
  });
}

/** The turn of each pair of features per step, [pairs]; null where the op computes it from its options. */
export function inverseFrequencies(
  scaling: RopeScaling | null,
  pairs: number,
  maxWavelength: number,
): Float32Array | null {
  if (scaling === null || scaling.type === 'linear') return null;
  if (scaling.type === 'longrope') return slowed(scaling.shortFactor, pairs, maxWavelength);
  if (scaling.type === 'dynamic')
    return Float32Array.from({ length: pairs }, (_, j) => maxWavelength ** (-j / pairs));
  const keptOf =
    scaling.type === 'llama3' ? keptOfLlama3(scaling) : keptOfYarn(scaling, pairs, maxWavelength);
  return Float32Array.from({ length: pairs }, (_, j) => {
    const rate = maxWavelength ** (-j / pairs);
    const kept = Math.min(1, Math.max(0, keptOf(j, rate)));
    return rate * (kept + (1 - kept) / scaling.factor);
  });
}

/** The turns in sequences that are too long for others, or how they change with the length, [pairs]; null where they are the same. */
export function stretchedFrequencies(
  scaling: RopeScaling | null,
  pairs: number,
  maxWavelength: number,
): Float32Array | null {
  if (scaling?.type === 'longrope') return slowed(scaling.longFactor, pairs, maxWavelength);
  if (scaling?.type !== 'dynamic') return null;
  // The exponent of how much longer the longest wavelength is.
  return Float32Array.from({ length: pairs }, (_, j) => -j / Math.max(1, pairs - 1));
}

/** The turns of pairs, divided by their factors. Errors: ValueError unless there are as many. */
function slowed(factors: readonly number[], pairs: number, maxWavelength: number): Float32Array {
  if (factors.length === pairs)
    return Float32Array.from(factors, (factor, j) => maxWavelength ** (-j / pairs) / factor);
  throw new ValueError({
    op: 'RotaryEmbedding',
    rule: `\`shortFactor\` and \`longFactor\` have a number for each of ${pairs} pairs of features.`,
    received: `${factors.length} numbers`,
    hint: 'pass as many as half of the features of a head.',
  });
}

/** What rotated queries and keys are multiplied by. */
export function attentionFactorOf(scaling: RopeScaling | null): number {
  if (scaling?.type === 'longrope') return scaling.attentionFactor ?? 1;
  if (scaling?.type !== 'yarn') return 1;
  return scaling.attentionFactor ?? yarnFactor(scaling.factor);
}

/** The factor that YaRN recommends for contexts `factor` times as long; `strength` is DeepSeek's. */
export function yarnFactor(factor: number, strength = 1): number {
  return factor <= 1 ? 1 : 0.1 * strength * Math.log(factor) + 1;
}

/** How much of its rate a pair keeps, by how often it turns in the original context; to be limited to 0 and 1. */
function keptOfLlama3({ lowFreqFactor, highFreqFactor, originalMaxPositions }: Llama3RopeScaling) {
  return (_: number, rate: number) => {
    const turns = (originalMaxPositions * rate) / (2 * Math.PI);
    return (turns - lowFreqFactor) / (highFreqFactor - lowFreqFactor);
  };
}

/** The same by its number among the pairs. */
function keptOfYarn(scaling: YarnRopeScaling, pairs: number, maxWavelength: number) {
  const { originalMaxPositions, betaFast = 32, betaSlow = 1, truncate = true } = scaling;
  /** The pair that turns so often, which may lie between two. */
  const pairOf = (turns: number) =>
    (pairs * Math.log(originalMaxPositions / (2 * Math.PI * turns))) / Math.log(maxWavelength);
  const [first, last] = [pairOf(betaFast), pairOf(betaSlow)];
  const from = Math.max(0, truncate ? Math.floor(first) : first);
  // The published program limits the last pair by the number of features, not of pairs.
  const to = Math.min(2 * pairs - 1, truncate ? Math.ceil(last) : last);
  const width = to === from ? 0.001 : to - from;
  return (j: number) => 1 - (j - from) / width;
}
