/** @file How rotary embeddings are stretched to texts that are longer than those of the first training. */
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/describe.ts';
import { checkOptions } from '../../core/options.ts';
import { requireFinite } from '../../core/shape.ts';

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

/** A way to stretch rotary embeddings. */
export type RopeScaling = LinearRopeScaling | Llama3RopeScaling;

const fields = {
  linear: ['factor'],
  llama3: ['factor', 'lowFreqFactor', 'highFreqFactor', 'originalMaxPositions'],
} as const;

/** Errors: ValueError for other types, and for factors that aren't positive numbers. */
export function requireRopeScaling(op: string, what: string, value: RopeScaling): void {
  const { type } = (value ?? {}) as Partial<RopeScaling>;
  if (type !== 'linear' && type !== 'llama3') {
    throw new ValueError({
      op,
      rule: `\`${what}\` has the type 'linear' or 'llama3'.`,
      received: `${what}: ${describe(value)}`,
      hint: 'leave it out for positions as they are.',
    });
  }
  checkOptions(op, value, ['type', ...fields[type]]);
  for (const field of fields[type])
    requireFinite(op, `${what}.${field}`, (value as never)[field], Number.MIN_VALUE);
}

/** The turn of each pair of features per step, [pairs]; null where the op computes it from its options. */
export function inverseFrequencies(
  scaling: RopeScaling | null,
  pairs: number,
  maxWavelength: number,
): Float32Array | null {
  if (scaling?.type !== 'llama3') return null;
  const { factor, lowFreqFactor, highFreqFactor, originalMaxPositions } = scaling;
  return Float32Array.from({ length: pairs }, (_, j) => {
    const rate = maxWavelength ** (-j / pairs);
    const turns = (originalMaxPositions * rate) / (2 * Math.PI);
    const smooth = (turns - lowFreqFactor) / (highFreqFactor - lowFreqFactor);
    const kept = Math.min(1, Math.max(0, smooth));
    return rate * (kept + (1 - kept) / factor);
  });
}
