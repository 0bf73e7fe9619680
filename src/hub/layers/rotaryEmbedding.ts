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
import { mul } from '../../ops/elementwise/arithmetic.ts';
import { tensor } from '../../tensor/create.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import {
  attentionFactorOf,
  inverseFrequencies,
  requireRopeScaling,
  type RopeScaling,
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

  override build(inputShape: OpenShape): void {
    const rates = inverseFrequencies(this.scaling, (inputShape.at(-1) as number) / 2, this.maxWavelength);
    if (rates) this.frequencies = tensor(rates);
  }

  override call(x: Tensor, { positions = null }: CallOptions & { positions?: Tensor | null }): Tensor {
    const { maxWavelength, scaling, frequencies } = this;
    const scalingFactor = this.scalingFactor * (scaling?.type === 'linear' ? scaling.factor : 1);
    const heads =
      x.rank > 3 ? x : reshape(x, { shape: [...x.shape.slice(0, -1), 1, x.shape.at(-1) as number] });
    const rotated = rotate(heads, positions, frequencies, { maxWavelength, scalingFactor });
    const factor = attentionFactorOf(scaling);
    const turned = factor === 1 ? rotated : mul(rotated, factor);
    return x.rank > 3 ? turned : reshape(turned, { shape: x.shape });
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
