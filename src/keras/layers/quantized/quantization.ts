/** @file How the weights of a layer are quantized. */
import type { NarrowFloat } from '../../../core/packedWeights.ts';

/** How the weights of a layer are quantized. */
export interface Quantization {
  /** Modes of Keras, and floats of 16 bits, which Keras's files have as float32. */
  readonly mode: 'int8' | 'int4' | 'float8' | 'gptq' | 'awq' | NarrowFloat;
  /** Bits of a weight. */
  readonly bits: number;
  /** Number of weights with a common scale, along the axis that is summed; null for all of them. */
  readonly block: number | null;
  /** Length of the histories of float8. */
  readonly history: number;
  /** How inputs are rounded; null if they aren't. */
  readonly inputs: { readonly range: readonly [number, number]; readonly epsilon: number } | null;
}

/** Weights rounded to floats of 16 bits, or read as such. */
export function narrowQuantization(mode: NarrowFloat): Quantization {
  return { mode, bits: 16, block: null, history: 0, inputs: null };
}
