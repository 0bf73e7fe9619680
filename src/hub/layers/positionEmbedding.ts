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
import { AdaptedLayer, type LoraOptions } from '../../keras/layers/base/adapter.ts';
import { rejectLoraBias } from '../../keras/layers/base/kernelAdapters.ts';
import { configOf } from '../../keras/namedObjects.ts';
import { mul } from '../../ops/elementwise/arithmetic.ts';
import { matMul } from '../../ops/products/matMul.ts';
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

export class PositionEmbedding extends /* @__PURE__ */ layer<PositionEmbeddingOptions, AdaptedLayer>(
  'PositionEmbedding',
  () => ({
    sequenceLength: integer(),
    initializer: {
      read: (given = 'glorotUniform') => initializerOf(given as InitializerLike),
      write: configOf,
    },
  }),
  AdaptedLayer,
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

  protected override get adaptable(): readonly ['embeddings', Variable | null] {
    return ['embeddings', this.positionEmbeddings];
  }

  /** Errors: ValueError also for `loraBias`. */
  override enableLora(rank: number, options: LoraOptions = {}, ...extra: never[]): void {
    rejectLoraBias(this, options);
    super.enableLora(rank, options, ...extra);
  }

  /** KerasHub's layer has no adapters: files have the sum. */
  override getConfig(): Record<string, unknown> {
    const { loraRank: _, loraAlpha: __, ...config } = super.getConfig();
    return config;
  }

  override call(x: Tensor, { positions = null }: CallOptions & { positions?: Tensor | null }): Tensor {
    const length = x.shape.at(-2) as number;
    if (!positions) this.#requireLength(x, length);
    const rowsOf = (table: Tensor) =>
      positions
        ? embedding(table, positions)
        : slice(table, { begin: [0, 0], size: [length, table.shape[1] as number] });
    const { added } = this;
    const base = rowsOf(this.base());
    const rows = added ? this.sumOf(base, matMul(mul(rowsOf(added.a), added.scale), added.b), added) : base;
    return positions ? rows : broadcastTo(rows, { shape: x.shape });
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
