/** @file permutation, shuffle */
import { type OptionNames, optionsOf, type Positions } from '../../core/options.ts';
import { checkShape, normalizeAxis, requireInteger } from '../../core/shape.ts';
import { tidy } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { gather } from '../indexing/gather.ts';
import { randomUniform } from './random.ts';
import { checkSeed } from '../define/seeds.ts';
import { argsort } from '../sorting/sort.ts';

export interface PermutationOptions {
  /** An integer in [0, 2^53). Default: a new seed for each call. */
  seed?: number | undefined;
}

export interface ShuffleOptions extends PermutationOptions {
  /** The axis along which slices are shuffled. Default 0. */
  axis?: number;
}

const optionNames: OptionNames<PermutationOptions> = { seed: true };

/**
 * The numbers 0 to `count` - 1 in random order. Shape: [count], int32.
 * Errors: ValueError unless `count` is an integer, or for a seed that isn't one.
 */
export function permutation(count: number, options?: PermutationOptions): Tensor<'int32'>;
export function permutation(
  count: number,
  ...settings: Positions<PermutationOptions, ['seed']>
): Tensor<'int32'>;
export function permutation(count: number, ...settings: unknown[]): Tensor<'int32'> {
  const { seed }: PermutationOptions = optionsOf('permutation', settings, optionNames, ['count']);
  requireInteger('permutation', 'count', count, 0);
  checkShape('permutation', [count]);
  checkSeed('permutation', seed);
  // 32-bit keys: two are equal, and so keep their order, with probability 2^-32. Indices are int32.
  return tidy(
    () => argsort(randomUniform([count], { dtype: 'uint32', max: 2 ** 32 - 1, seed })) as Tensor<'int32'>,
  );
}

/**
 * The slices of `x` along `axis` in random order. Any dtype. Shape: that of x. The gradient of a slice goes to its origin.
 * Errors: ShapeError for an axis that x lacks, ValueError for a seed that isn't one.
 */
export const shuffle: CompositeOp<[x: Tensor], ShuffleOptions, Tensor, ['axis', 'seed']> =
  /* @__PURE__ */ defineComposite({
    name: 'shuffle',
    inputs: ['x'],
    options: { axis: true, seed: true },
    compose: ([x], { axis = 0, seed }) => {
      const along = normalizeAxis('shuffle', axis, x.shape.length);
      return gather(x, permutation(x.shape[along] as number, { seed }), {
        axis: along,
        validateIndices: false,
      });
    },
  });
