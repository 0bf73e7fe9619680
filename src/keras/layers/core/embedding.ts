/** @file Embedding: a row of weights for each of a number of ids. */
import { type AdapterOptions, adapterTable, AdaptedLayer, type LoraOptions } from '../base/adapter.ts';
import { rejectLoraBias } from '../base/kernelAdapters.ts';
import { type DType, isInteger } from '../../../core/dtype.ts';
import type { OpenShape } from '../../../core/shape.ts';
import { mul } from '../../../ops/elementwise/arithmetic.ts';
import { notEqual } from '../../../ops/elementwise/comparison.ts';
import { embedding as lookUp } from '../../../ops/indexing/embedding.ts';
import { matMul } from '../../../ops/products/matMul.ts';
import { toIndices } from '../../../ops/indexing/toIndices.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import type { ConstraintLike } from '../../constraints/index.ts';
import type { InitializerLike } from '../../initializers/index.ts';
import type { Nest } from '../../tensorNest.ts';
import type { RegularizerLike } from '../../regularizers/index.ts';
import { factoryOf, flag, integer, layer, weights, type LayerOptions } from '../base/declare.ts';

export interface EmbeddingOptions extends LayerOptions, AdapterOptions {
  /** Number of ids: they are integers in [0, inputDim). */
  inputDim: number;
  /** Size of a row. */
  outputDim: number;
  /** Initial values of the vectors. Default 'uniform': between -0.05 and 0.05. */
  embeddingsInitializer?: InitializerLike;
  /** Penalty on the rows. Default: none. */
  embeddingsRegularizer?: RegularizerLike | null;
  /** Constraint applied to the rows after each training step. Default: none. */
  embeddingsConstraint?: ConstraintLike | null;
  /** Whether id 0 is padding: the output mask is false there. Default false. */
  maskZero?: boolean;
  /** @deprecated Number of ids of a sequence. Begin the model with `input({ shape, dtype: 'int32' })`. */
  inputLength?: number | readonly (number | null)[];
}

export const embeddingTable = () => ({
  inputDim: integer(),
  outputDim: integer(),
  ...weights({ embeddings: 'uniform' }),
  maskZero: flag(false),
  ...adapterTable(),
});

export class Embedding extends /* @__PURE__ */ layer<EmbeddingOptions, AdaptedLayer, 'inputLength'>(
  'Embedding',
  embeddingTable,
  AdaptedLayer,
) {
  override readonly supportsMasking: boolean;
  /** @internal */
  override readonly inputDType: DType = 'int32';
  embeddings: Variable | null = null;

  constructor(options: EmbeddingOptions) {
    super(options);
    this.supportsMasking = this.maskZero;
  }

  override build(): void {
    const { inputDim, outputDim } = this;
    this.embeddings = this.addWeight('embeddings', {
      shape: [inputDim, outputDim],
      ...this.weightRules('embeddings'),
    });
    this.buildAdapter();
  }

  protected override get adaptable(): readonly ['embeddings', Variable | null] {
    return ['embeddings', this.embeddings];
  }

  /** Errors: ValueError also for `loraBias`. */
  override enableLora(rank: number, options: LoraOptions = {}, ...extra: never[]): void {
    rejectLoraBias(this, options);
    super.enableLora(rank, options, ...extra);
  }

  override call(ids: Tensor): Tensor {
    const indices = isInteger(ids.dtype) ? ids : toIndices(ids);
    return this.withAdapter(this.rowsAt(indices), indices);
  }

  /** The rows without the adapter. */
  protected rowsAt(indices: Tensor): Tensor {
    return lookUp(this.base(), indices);
  }

  /** Adds to `rows` the rows of the adapter, which is never multiplied as a whole. */
  protected withAdapter(rows: Tensor, indices: Tensor): Tensor {
    const { added } = this;
    if (!added) return rows;
    return this.sumOf(rows, matMul(mul(lookUp(added.a, indices), added.scale), added.b), added);
  }

  override computeMask(ids: Tensor): Nest<Tensor | null> {
    return this.maskZero ? notEqual(ids, 0) : null;
  }

  override computeOutputShape(inputShape: OpenShape): OpenShape {
    return [...inputShape, this.outputDim];
  }

  protected override outputDType(): DType {
    return this.dtype;
  }
}

/**
 * A row of weights for each id. Shapes: ids of any rank, int32 or uint32 (floats lose their fraction) → [..ids, outputDim].
 * Weight: embeddings [inputDim, outputDim]. The gradient accumulates in the rows that were read.
 * Errors: ValueError for invalid options; IndexOutOfRangeError when the result is read, for an id outside [0, inputDim); its
 * row is zeros.
 */
export const embedding = /* @__PURE__ */ factoryOf(Embedding, ['inputDim', 'outputDim']);
