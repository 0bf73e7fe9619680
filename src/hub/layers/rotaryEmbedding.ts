/** @file RotaryEmbedding: positions as rotations of pairs of features. */
import type { OpenShape } from '../../core/shape.ts';
import {
  type CallOptions,
  checked,
  factoryOf,
  type InputSpec,
  layer,
  type LayerOptions,
  number,
} from '../../keras/layers/base/declare.ts';
import { reshape } from '../../ops/arrangement/reshape.ts';
import { rotaryEmbedding as rotate } from '../../ops/attention/rotaryEmbedding.ts';
import { add, mul } from '../../ops/elementwise/arithmetic.ts';
import { cast } from '../../ops/elementwise/cast.ts';
import { greater } from '../../ops/elementwise/comparison.ts';
import { maximum } from '../../ops/elementwise/maximum.ts';
import { exp, log } from '../../ops/elementwise/unary.ts';
import { where } from '../../ops/elementwise/where.ts';
import { max } from '../../ops/reductions/extrema.ts';
import { tensor } from '../../tensor/create.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import {
  attentionFactorOf,
  inverseFrequencies,
  type DynamicRopeScaling,
  type LongRopeScaling,
  requireRopeScaling,
  type RopeScaling,
  stretchedFrequencies,
} from './ropeScaling.ts';

/** Options of `rotaryEmbedding`. */
export interface RotaryEmbeddingLayerOptions extends LayerOptions {
  /** The pair that turns slowest takes this many steps for a radian. Default 10,000. */
  maxWavelength?: number;
  /** Positions are divided by it. Default 1. */
  scalingFactor?: number;
  /** How positions are stretched beyond that. Default null: they aren't. */
  scaling?: RopeScaling | null;
}

/** Those options of `rotaryEmbedding` that say how it turns. */
export type RotaryOptions = Omit<RotaryEmbeddingLayerOptions, keyof LayerOptions>;

export class RotaryEmbedding extends /* @__PURE__ */ layer<RotaryEmbeddingLayerOptions>(
  'RotaryEmbedding',
  () => ({
    maxWavelength: number({ min: Number.MIN_VALUE, default: 10_000 }),
    scalingFactor: number({ min: Number.MIN_VALUE, default: 1 }),
    scaling: checked(requireRopeScaling, null),
  }),
) {
  static override readonly callOptionNames: readonly string[] = ['training', 'mask', 'positions'];
  override readonly supportsMasking: boolean = true;
  protected override inputSpec: readonly InputSpec[] = [{ minRank: 3 }];
  /** The turn of each pair per step, if it isn't a power of `maxWavelength`. */
  frequencies: Tensor | null = null;
  /** That in long sequences, or the exponents by which it changes with the length. */
  stretched: Tensor | null = null;

  override build(inputShape: OpenShape): void {
    const { scaling, maxWavelength } = this;
    const pairs = (inputShape.at(-1) as number) / 2;
    const rates = inverseFrequencies(scaling, pairs, maxWavelength);
    const others = stretchedFrequencies(scaling, pairs, maxWavelength);
    if (rates) this.frequencies = tensor(rates);
    if (others) this.stretched = tensor(others);
  }

  override call(x: Tensor, { positions = null }: CallOptions & { positions?: Tensor | null }): Tensor {
    const { maxWavelength, scaling } = this;
    const scalingFactor = this.scalingFactor * (scaling?.type === 'linear' ? scaling.factor : 1);
    const heads =
      x.rank > 3 ? x : reshape(x, { shape: [...x.shape.slice(0, -1), 1, x.shape.at(-1) as number] });
    const frequencies = this.#frequenciesOf(heads, positions);
    const rotated = rotate(heads, positions, frequencies, { maxWavelength, scalingFactor });
    const factor = attentionFactorOf(scaling);
    const turned = factor === 1 ? rotated : mul(rotated, factor);
    return x.rank > 3 ? turned : reshape(turned, { shape: x.shape });
  }

  /** The turn of each pair per step, which may depend on the length of the sequence so far. */
  #frequenciesOf(heads: Tensor, positions: Tensor | null): Tensor | null {
    const { scaling, frequencies, stretched } = this;
    if (!frequencies || !stretched) return frequencies;
    const { originalMaxPositions: most } = scaling as DynamicRopeScaling | LongRopeScaling;
    const length = positions ? add(max(positions), 1) : (heads.shape[1] as number);
    if (typeof length === 'number' && length <= most) return frequencies;
    if (scaling?.type === 'longrope')
      return typeof length === 'number' ? stretched : where(greater(length, most), stretched, frequencies);
    const { factor } = scaling as DynamicRopeScaling;
    const longer =
      typeof length === 'number'
        ? Math.log((factor * length) / most - factor + 1)
        : log(maximum(add(mul(cast(length, 'float32'), factor / most), 1 - factor), 1));
    return mul(frequencies, exp(mul(stretched, longer)));
  }

  override computeOutputShape(inputShape: OpenShape): OpenShape {
    return inputShape;
  }
}

/**
 * Rotary position embeddings: features j and j + size / 2 of a query or a key turn by an angle that grows with its position. Called
 * with `positions`, int32 [batch, length], rows are there; otherwise a sequence begins at 0. Shapes: [batch, length, size] or
 * [batch, length, heads, size] → the same. No weights. Su et al., "RoFormer", 2021.
 * Errors: ValueError for invalid options; ShapeError for positions that don't fit.
 */
export const rotaryEmbedding = /* @__PURE__ */ factoryOf(RotaryEmbedding);
