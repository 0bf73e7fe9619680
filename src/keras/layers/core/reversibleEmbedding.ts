/** @file ReversibleEmbedding: an embedding that, in reverse, gives logits of ids. */
import { computeDTypeOf } from '../base/dtypePolicy.ts';
import { requireBoolean } from '../../../core/shape.ts';
import { add, div, mul } from '../../../ops/elementwise/arithmetic.ts';
import { cast } from '../../../ops/elementwise/cast.ts';
import { notEqual } from '../../../ops/elementwise/comparison.ts';
import { tanh } from '../../../ops/elementwise/hyperbolic.ts';
import { matMul } from '../../../ops/products/matMul.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import { KerasTensor } from '../../graph/kerasTensor.ts';
import { trace } from '../../graph/tracing.ts';
import { setMask } from '../../masks.ts';
import type { Nest } from '../../tensorNest.ts';
import { Embedding, type EmbeddingOptions, embeddingTable } from './embedding.ts';
import { factoryOf, flag, oneOf, layer, number, Layer, type CallOptions } from '../base/declare.ts';

export interface ReversibleEmbeddingOptions extends EmbeddingOptions {
  /** Whether the reverse uses the same weights, transposed. Default true; otherwise it has its own. */
  tieWeights?: boolean;
  /** The dtype in which the reverse multiplies. Default null: that of the weights. */
  reverseDtype?: 'float32' | 'float16' | null;
  /** Logits become softCap · tanh(logits / softCap). Default null: no cap. */
  logitSoftCap?: number | null;
}

export class ReversibleEmbedding extends /* @__PURE__ */ layer<
  ReversibleEmbeddingOptions,
  Embedding,
  'inputLength'
>(
  'ReversibleEmbedding',
  () => ({
    ...embeddingTable(),
    tieWeights: flag(true),
    reverseDtype: oneOf(['float32', 'float16'], null),
    logitSoftCap: number({ min: Number.MIN_VALUE, default: null }),
  }),
  Embedding,
) {
  static override readonly callOptionNames: readonly string[] = [...Layer.callOptionNames, 'reverse'];

  /** Only ids have masks, so `call` sets them. */
  override readonly supportsMasking: boolean = false;
  reverseEmbeddings: Variable | null = null;

  override build(): void {
    super.build();
    const { tieWeights, outputDim, inputDim } = this;
    if (tieWeights) return;
    const shape = [outputDim, inputDim];
    const { initializer } = this.weightRules('embeddings');
    this.reverseEmbeddings = this.addWeight('reverse_embeddings', { shape, initializer });
  }

  override call(x: Tensor, { reverse = false }: CallOptions = {}): Tensor {
    requireBoolean(this.name, 'reverse', reverse);
    if (reverse) return this.#logits(x);
    const rows = super.call(x);
    if (this.maskZero) setMask(rows, notEqual(x, 0));
    return rows;
  }

  override computeMask(): null {
    return null;
  }

  #logits(x: Tensor): Tensor {
    const { logitSoftCap, tieWeights } = this;
    const used = tieWeights ? this.added : null;
    const added = used?.isOfLookups ? null : used;
    const isLow = added && !added.magnitude;
    const low = isLow && this.#product(mul(this.#product(x, added.b), added.scale), added.a);
    // The columns whose lengths are trained are those of the vectors: here they are summed over.
    const product = added?.magnitude ? this.#product(x, this.adapted()) : this.timesRows(x);
    const logits = low ? add(product, low) : product;
    return logitSoftCap === null ? logits : mul(tanh(div(logits, logitSoftCap)), logitSoftCap);
  }

  /** The products of x with all rows, without those of an adapter. */
  protected timesRows(x: Tensor): Tensor {
    return this.#product(x, this.tieWeights ? this.base() : (this.reverseEmbeddings as Variable));
  }

  #product(x: Tensor, rows: Tensor): Tensor {
    const { reverseDtype, tieWeights } = this;
    const asOperand = (y: Tensor) => (reverseDtype === 'float16' ? cast(y, reverseDtype) : y);
    return matMul(asOperand(x), asOperand(rows), { transposeB: tieWeights });
  }

  protected override computeOutputSpec(inputs: Nest<KerasTensor>, options: CallOptions): Nest<KerasTensor> {
    if (!options.reverse) return super.computeOutputSpec(inputs, options);
    const shape = [...(inputs as KerasTensor).shape.slice(0, -1), this.inputDim];
    return trace(() => new KerasTensor({ shape, dtype: computeDTypeOf(this) }));
  }
}

/**
 * An `embedding` that, called with `reverse: true`, gives logits of ids: dot products with all rows. Shapes: ids [...] →
 * [..., outputDim]; in reverse [..., outputDim] → [..., inputDim], float32. Weights: embeddings [inputDim, outputDim] and,
 * unless `tieWeights`, reverseEmbeddings [outputDim, inputDim].
 * Errors: ValueError for invalid options; those of `embedding`.
 */
export const reversibleEmbedding = /* @__PURE__ */ factoryOf(ReversibleEmbedding, [
  'inputDim',
  'outputDim',
  'tieWeights',
]);
