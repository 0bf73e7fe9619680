/** @file Permute: the axes of each sample in another order. */
import type { OptionNames, Positions } from '../../../core/options.ts';
import { layerOptionNames, make } from '../base/layerOptions.ts';
import { ValueError } from '../../../core/errors.ts';
import { describe } from '../../../core/shape.ts';
import { transpose } from '../../../ops/transpose.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { Layer, type LayerOptions } from '../base/layer.ts';

/** Options of `permute`. */
export interface PermuteOptions extends LayerOptions {
  /** The axes of a sample, counted from 1, in their new order. */
  dims: readonly number[];
}

/** The class of layers created by `permute`, which documents shapes, weights and errors. */
export class Permute extends Layer {
  static override readonly className: string = 'Permute';

  static override get optionNames(): OptionNames<PermuteOptions> {
    return { dims: true, ...layerOptionNames };
  }

  readonly dims: readonly number[];

  constructor(options: PermuteOptions) {
    super(options);
    const { dims } = options;
    const sorted = Array.isArray(dims) ? [...dims].sort((a, b) => a - b) : [];
    if (!Array.isArray(dims) || sorted.some((n, i) => n !== i + 1)) {
      throw new ValueError({
        op: this.name,
        rule: '`dims` names each axis of a sample once; axes are counted from 1, after the batch.',
        received: `dims: ${describe(dims)}`,
        hint: 'pass [2, 1] to exchange two axes.',
      });
    }
    this.dims = [...dims];
    this.inputSpec = [{ rank: dims.length + 1 }];
  }

  override call(x: Tensor): Tensor {
    return transpose(x, { perm: [0, ...this.dims] });
  }

  override getConfig(): Record<string, unknown> {
    return { ...super.getConfig(), dims: this.dims };
  }
}

/**
 * The axes of each sample in another order, of any dtype. Shapes: [batch, a, b] → [batch, b, a] for dims [2, 1].
 * Errors: ValueError for anything but an order of axes; ShapeError for inputs of another rank.
 */
export function permute(options: PermuteOptions): Permute;
export function permute(...settings: Positions<PermuteOptions, ['dims']>): Permute;
export function permute(...args: unknown[]): Permute {
  return make(Permute, args);
}
