/** @file ReversibleEmbedding: an embedding that, in reverse, gives logits of ids. */
import type { OptionNames, Positions } from '../../../core/options.ts';
import { oneOf, requireBoolean, requireFinite } from '../../../core/shape.ts';
import { div, mul } from '../../../ops/arithmetic.ts';
import { cast } from '../../../ops/cast.ts';
import { notEqual } from '../../../ops/comparison.ts';
import { tanh } from '../../../ops/hyperbolic.ts';
import { matMul } from '../../../ops/matMul.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import { KerasTensor } from '../../graph/kerasTensor.ts';
import { trace } from '../../graph/tracing.ts';
import { setMask } from '../../masks.ts';
import type { Nest } from '../../tensorNest.ts';
import { adapterOptionNames } from '../base/adapter.ts';
import { type CallOptions, Layer } from '../base/layer.ts';
import { layerOptionNames, make } from '../base/layerOptions.ts';
import { weightRules } from '../base/weightRules.ts';
import { Embedding, type EmbeddingOptions } from './embedding.ts';

/** Options of `reversibleEmbedding`. */
export interface ReversibleEmbeddingOptions extends EmbeddingOptions {
  /** Whether the reverse uses the same weights, transposed. Default true; otherwise it has its own. */
  tieWeights?: boolean;
  /** The dtype in which the reverse multiplies. Default null: that of the weights. */
  reverseDtype?: 'float32' | 'float16' | null;
  /** Logits become softCap · tanh(logits / softCap). Default null: no cap. */
  logitSoftCap?: number | null;
}

/** The class of layers created by `reversibleEmbedding`, which documents shapes, weights and errors. */
export class ReversibleEmbedding extends Embedding {
  static override readonly className: string = 'ReversibleEmbedding';
  static override readonly callOptionNames: readonly string[] = [...Layer.callOptionNames, 'reverse'];

  static override get optionNames(): OptionNames<ReversibleEmbeddingOptions> {
    return {
      inputDim: true,
      outputDim: true,
      tieWeights: true,
      embeddingsInitializer: false,
      embeddingsRegularizer: false,
      embeddingsConstraint: false,
      maskZero: false,
      reverseDtype: false,
      logitSoftCap: false,
      ...adapterOptionNames,
      ...layerOptionNames,
    };
  }

  /** Only ids have masks, so `call` sets them. */
  override readonly supportsMasking: boolean = false;
  reverseEmbeddings: Variable | null = null;
  readonly tieWeights: boolean;
  readonly reverseDtype: 'float32' | 'float16' | null;
  readonly logitSoftCap: number | null;
  readonly #initializer: ReturnType<typeof weightRules>['initializer'];

  constructor(options: ReversibleEmbeddingOptions) {
    super(options);
    const { tieWeights = true, reverseDtype = null, logitSoftCap = null } = options;
    requireBoolean(this.name, 'tieWeights', tieWeights);
    if (logitSoftCap !== null) requireFinite(this.name, 'logitSoftCap', logitSoftCap, Number.MIN_VALUE);
    this.tieWeights = tieWeights;
    this.reverseDtype =
      reverseDtype === null
        ? null
        : oneOf(this.name, 'reverseDtype', reverseDtype, ['float32', 'float16'] as const);
    this.logitSoftCap = logitSoftCap;
    this.#initializer = weightRules(options, 'embeddings', 'uniform').initializer;
  }

  override build(): void {
    super.build();
    const { tieWeights, outputDim, inputDim } = this;
    if (tieWeights) return;
    const shape = [outputDim, inputDim];
    this.reverseEmbeddings = this.addWeight('reverse_embeddings', { shape, initializer: this.#initializer });
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
    const { reverseDtype, logitSoftCap, tieWeights } = this;
    const asOperand = (y: Tensor) => (reverseDtype === 'float16' ? cast(y, reverseDtype) : y);
    const kernel = tieWeights ? this.adapted() : (this.reverseEmbeddings as Variable);
    const logits = matMul(asOperand(x), asOperand(kernel), { transposeB: tieWeights });
    return logitSoftCap === null ? logits : mul(tanh(div(logits, logitSoftCap)), logitSoftCap);
  }

  protected override computeOutputSpec(inputs: Nest<KerasTensor>, options: CallOptions): Nest<KerasTensor> {
    if (!options.reverse) return super.computeOutputSpec(inputs, options);
    const shape = [...(inputs as KerasTensor).shape.slice(0, -1), this.inputDim];
    return trace(() => new KerasTensor({ shape, dtype: this.dtype }));
  }

  override getConfig(): Record<string, unknown> {
    const { tieWeights, reverseDtype, logitSoftCap } = this;
    return { ...super.getConfig(), tieWeights, reverseDtype, logitSoftCap };
  }
}

/**
 * An `embedding` that, called with `reverse: true`, gives logits of ids: dot products with all rows. Shapes: ids [...] →
 * [..., outputDim]; in reverse [..., outputDim] → [..., inputDim], float32. Weights: embeddings [inputDim, outputDim] and,
 * unless `tieWeights`, reverseEmbeddings [outputDim, inputDim].
 * Errors: ValueError for invalid options; those of `embedding`.
 */
export function reversibleEmbedding(options: ReversibleEmbeddingOptions): ReversibleEmbedding;
export function reversibleEmbedding(
  ...settings: Positions<ReversibleEmbeddingOptions, ['inputDim', 'outputDim', 'tieWeights']>
): ReversibleEmbedding;
export function reversibleEmbedding(...args: unknown[]): ReversibleEmbedding {
  return make(ReversibleEmbedding, args);
}
