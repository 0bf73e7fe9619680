/** @file Permute: the axes of each sample in another order. */
import { ValueError } from '../../../core/errors.ts';
import { describe } from '../../../core/shape.ts';
import { transpose } from '../../../ops/arrangement/transpose.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { checked, factoryOf, layer, type LayerOptions } from '../base/declare.ts';

export interface PermuteOptions extends LayerOptions {
  /** The axes of a sample, counted from 1, in their new order. */
  dims: readonly number[];
}

export class Permute extends /* @__PURE__ */ layer<PermuteOptions>('Permute', () => ({
  dims: checked(orderOf),
})) {
  constructor(options: PermuteOptions) {
    super(options);
    this.inputSpec = [{ rank: this.dims.length + 1 }];
  }

  override call(x: Tensor): Tensor {
    return transpose(x, { perm: [0, ...this.dims] });
  }
}

function orderOf(op: string, what: string, dims: unknown): readonly number[] {
  const sorted = Array.isArray(dims) ? [...dims].sort((a, b) => a - b) : [];
  if (Array.isArray(dims) && sorted.every((n, i) => n === i + 1)) return [...dims];
  throw new ValueError({
    op,
    rule: `\`${what}\` names each axis of a sample once; axes are counted from 1, after the batch.`,
    received: `${what}: ${describe(dims)}`,
    hint: 'pass [2, 1] to exchange two axes.',
  });
}

/**
 * The axes of each sample in another order, of any dtype. Shapes: [batch, a, b] → [batch, b, a] for dims [2, 1].
 * Errors: ValueError for anything but an order of axes; ShapeError for inputs of another rank.
 */
export const permute = /* @__PURE__ */ factoryOf(Permute, ['dims']);
