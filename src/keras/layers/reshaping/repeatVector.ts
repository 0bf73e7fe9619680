/** @file RepeatVector: a vector as each step of a sequence. */
import type { OptionNames, Positions } from '../../../core/options.ts';
import { layerOptionNames, make } from '../base/layerOptions.ts';
import { requireInteger } from '../../../core/shape.ts';
import { expandDims } from '../../../ops/expandDims.ts';
import { tile } from '../../../ops/tile.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { Layer, type LayerOptions } from '../base/layer.ts';

/** Options of `repeatVector`. */
export interface RepeatVectorOptions extends LayerOptions {
  /** Number of equal steps in the sequence. */
  n: number;
}

/** The class of layers created by `repeatVector`, which documents shapes, weights and errors. */
export class RepeatVector extends Layer {
  static override readonly className: string = 'RepeatVector';

  static override get optionNames(): OptionNames<RepeatVectorOptions> {
    return { n: true, ...layerOptionNames };
  }

  readonly n: number;

  constructor(options: RepeatVectorOptions) {
    super(options);
    requireInteger(this.name, 'n', options.n, 1);
    this.n = options.n;
    this.inputSpec = [{ rank: 2 }];
  }

  override call(x: Tensor): Tensor {
    return tile(expandDims(x, { axis: 1 }), { reps: [1, this.n, 1] });
  }

  override getConfig(): Record<string, unknown> {
    return { ...super.getConfig(), n: this.n };
  }
}

/**
 * A vector as each step of a sequence, of any dtype. Shapes: [batch, features] → [batch, n, features].
 * Errors: ValueError for n; ShapeError for inputs that aren't vectors.
 */
export function repeatVector(options: RepeatVectorOptions): RepeatVector;
export function repeatVector(...settings: Positions<RepeatVectorOptions, ['n']>): RepeatVector;
export function repeatVector(...args: unknown[]): RepeatVector {
  return make(RepeatVector, args);
}
