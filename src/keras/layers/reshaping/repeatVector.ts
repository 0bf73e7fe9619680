/** @file RepeatVector: a vector as each step of a sequence. */
import { expandDims } from '../../../ops/arrangement/expandDims.ts';
import { tile } from '../../../ops/arrangement/tile.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { factoryOf, type InputSpec, integer, layer, type LayerOptions } from '../base/declare.ts';

export interface RepeatVectorOptions extends LayerOptions {
  /** Number of equal steps in the sequence. */
  n: number;
}

export class RepeatVector extends /* @__PURE__ */ layer<RepeatVectorOptions>('RepeatVector', () => ({
  n: integer(),
})) {
  protected override inputSpec: readonly InputSpec[] = [{ rank: 2 }];

  override call(x: Tensor): Tensor {
    return tile(expandDims(x, { axis: 1 }), { reps: [1, this.n, 1] });
  }
}

/**
 * A vector as each step of a sequence, of any dtype. Shapes: [batch, features] → [batch, n, features].
 * Errors: ValueError for n; ShapeError for inputs that aren't vectors.
 */
export const repeatVector = /* @__PURE__ */ factoryOf(RepeatVector, ['n']);
