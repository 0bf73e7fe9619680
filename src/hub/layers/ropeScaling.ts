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

/** A way to stretch rotary embeddings. */
export type RopeScaling = LinearRopeScaling | Llama3RopeScaling | YarnRopeScaling;

/** The numbers of each type, and which of them have a default. */
const fields: Readonly<Record<RopeScaling['type'], Readonly<Record<string, 'required' | 'optional'>>>> = {
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
};

/** Errors: ValueError for other types, and for factors that aren't positive numbers. */
export function requireRopeScaling(op: string, what: string, value: RopeScaling): void {
  const { type } = (value ?? {}) as Partial<RopeScaling>;
  if (type === undefined || !Object.hasOwn(fields, type)) {
    throw new ValueError({
      op,
      rule: `\`${what}\` has the type 'linear', 'llama3' or 'yarn'.`,
      received: `${what}: ${describe(value)}`,
      hint: 'leave it out for positions as they are.',
    });
  }
  const truncates = type === 'yarn' ? ['truncate'] : [];
  checkOptions(op, value, ['type', ...Object.keys(fields[type]), ...truncates]);
  for (const [field, need] of Object.entries(fields[type])) {
    const given: unknown = (value as never)[field];
    if (given !== undefined || need === 'required')
      requireFinite(op, `${what}.${field}`, given as number, Number.MIN_VALUE);
  }
  if (value.type === 'yarn') requireBoolean(op, `${what}.truncate`, value.truncate ?? true);
}

/** The turn of each pair of features per step, [pairs]; null where the op computes it from its options. */
export function inverseFrequencies(
  scaling: RopeScaling | null,
  pairs: number,
  maxWavelength: number,
): Float32Array | null {
  if (scaling === null || scaling.type === 'linear') return null;
  const keptOf =
    scaling.type === 'llama3' ? keptOfLlama3(scaling) : keptOfYarn(scaling, pairs, maxWavelength);
  return Float32Array.from({ length: pairs }, (_, j) => {
    const rate = maxWavelength ** (-j / pairs);
    const kept = Math.min(1, Math.max(0, keptOf(j, rate)));
    return rate * (kept + (1 - kept) / scaling.factor);
  });
}

/** What rotated queries and keys are multiplied by. */
export function attentionFactorOf(scaling: RopeScaling | null): number {
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
