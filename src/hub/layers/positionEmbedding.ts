/** @file PositionEmbedding: a trained vector for each position of a sequence. */
import { ShapeError } from '../../core/errors.ts';
import { describe, type OpenShape } from '../../core/shape.ts';
import {
  type CallOptions,
  factoryOf,
  integer,
  layer,
  type InputSpec,
  type LayerOptions,
} from '../../keras/layers/base/declare.ts';
import { type InitializerLike, initializerOf } from '../../keras/initializers/index.ts';
import { configOf } from '../../keras/namedObjects.ts';
import { embedding } from '../../ops/indexing/embedding.ts';
import { slice } from '../../ops/arrangement/slice.ts';
import { broadcastTo } from '../../ops/reductions/sum.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Variable } from '../../tensor/variable.ts';

export interface PositionEmbeddingOptions extends LayerOptions {
  /** The length of the longest sequence. */
  sequenceLength: number;
  /** Initial values of the vectors. Default 'glorotUniform'. */
  initializer?: InitializerLike;
}

export class PositionEmbedding extends /* @__PURE__ */ layer<PositionEmbeddingOptions>(
  'PositionEmbedding',
  () => ({
    sequenceLength: integer(),
    initializer: {
      read: (given = 'glorotUniform') => initializerOf(given as InitializerLike),
      write: configOf,
    },
  }),
) {
  static override readonly callOptionNames: readonly string[] = ['training', 'mask', 'positions'];
  override readonly supportsMasking: boolean = true;
  protected override inputSpec: readonly InputSpec[] = [{ minRank: 2 }];
  positionEmbeddings: Variable | null = null;

  override build(inputShape: OpenShape): void {
    const features = inputShape.at(-1) as number;
    this.positionEmbeddings = this.addWeight('embeddings', {
      shape: [this.sequenceLength, features],
      initializer: this.initializer,
    });
  }

  override call(x: Tensor, { positions = null }: CallOptions & { positions?: Tensor | null }): Tensor {
    const table = this.positionEmbeddings as Variable;
    if (positions) return embedding(table, positions);
    const [length, features] = x.shape.slice(-2) as [number, number];
    this.#requireLength(x, length);
    return broadcastTo(slice(table, { begin: [0, 0], size: [length, features] }), { shape: x.shape });
  }

  override computeOutputShape(inputShape: OpenShape): OpenShape {
    return inputShape;
  }

  #requireLength(x: Tensor, length: number): void {
    if (length <= this.sequenceLength) return;
    throw new ShapeError({
      op: this.name,
      rule: `a sequence has at most ${this.sequenceLength} steps: there are as many vectors.`,
      received: describe(x.shape),
      hint: 'cut the text into shorter pieces.',
    });
  }
}

/**
 * The vectors of the positions of `x`, which it doesn't read otherwise. Called with `positions`, int32 [batch, length], those of
 * these positions. Shapes: x [..., length, features] → the same. Weight: embeddings [sequenceLength, features].
 * Errors: ShapeError for longer sequences; IndexOutOfRangeError when the result is read, for a position outside the table.
 */
export const positionEmbedding = /* @__PURE__ */ factoryOf(PositionEmbedding, ['sequenceLength']);
