/** @file Embedding: a row of weights for each of a number of ids. */
import type { OptionNames, Positions } from '../../../core/options.ts';
import { type AdapterOptions, adapterOptionNames, AdaptedLayer } from '../base/adapter.ts';
import { layerOptionNames, make } from '../base/layerOptions.ts';
import { type DType, isInteger } from '../../../core/dtype.ts';
import { type OpenShape, requireBoolean, requireInteger } from '../../../core/shape.ts';
import { notEqual } from '../../../ops/comparison.ts';
import { embedding as lookUp } from '../../../ops/embedding.ts';
import { toIndices } from '../../../ops/toIndices.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import type { ConstraintLike } from '../../constraints/index.ts';
import type { InitializerLike } from '../../initializers/index.ts';
import type { Nest } from '../../tensorNest.ts';
import type { RegularizerLike } from '../../regularizers/index.ts';
import type { LayerOptions } from '../base/layer.ts';
import { rulesConfig, type WeightRules, weightRules } from '../base/weightRules.ts';

/** Options of `embedding`. */
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
}

/** The class of layers created by `embedding`, which documents shapes, weights and errors. */
export class Embedding extends AdaptedLayer {
  static override readonly className: string = 'Embedding';

  static override get optionNames(): OptionNames<EmbeddingOptions> {
    return {
      inputDim: true,
      outputDim: true,
      embeddingsInitializer: false,
      embeddingsRegularizer: false,
      embeddingsConstraint: false,
      maskZero: false,
      ...adapterOptionNames,
      ...layerOptionNames,
    };
  }

  override readonly supportsMasking: boolean;
  override readonly inputDType: DType = 'int32';
  embeddings: Variable | null = null;
  readonly inputDim: number;
  readonly outputDim: number;
  readonly maskZero: boolean;
  readonly #rules: { readonly embeddings: WeightRules };

  constructor(options: EmbeddingOptions) {
    super(options);
    const { inputDim, outputDim, maskZero = false } = options;
    requireInteger(this.name, 'inputDim', inputDim, 1);
    requireInteger(this.name, 'outputDim', outputDim, 1);
    requireBoolean(this.name, 'maskZero', maskZero);
    this.inputDim = inputDim;
    this.outputDim = outputDim;
    this.maskZero = maskZero;
    this.supportsMasking = maskZero;
    this.#rules = { embeddings: weightRules(options, 'embeddings', 'uniform') };
  }

  override build(): void {
    const { inputDim, outputDim } = this;
    this.embeddings = this.addWeight('embeddings', {
      shape: [inputDim, outputDim],
      ...this.#rules.embeddings,
    });
    this.buildAdapter();
  }

  protected override get adaptable(): readonly ['embeddings', Variable | null] {
    return ['embeddings', this.embeddings];
  }

  override call(ids: Tensor): Tensor {
    return lookUp(this.adapted(), isInteger(ids.dtype) ? ids : toIndices(ids));
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

  override getConfig(): Record<string, unknown> {
    const { inputDim, outputDim, maskZero } = this;
    return { ...super.getConfig(), inputDim, outputDim, ...rulesConfig(this.#rules), maskZero };
  }
}

/**
 * A row of weights for each id. Shapes: ids of any rank, int32 or uint32 (floats lose their fraction) → [..ids, outputDim].
 * Weight: embeddings [inputDim, outputDim]. The gradient accumulates in the rows that were read.
 * Errors: ValueError for invalid options; IndexOutOfRangeError when the result is read, for an id outside [0, inputDim); its
 * row is zeros.
 */
export function embedding(options: EmbeddingOptions): Embedding;
export function embedding(...settings: Positions<EmbeddingOptions, ['inputDim', 'outputDim']>): Embedding;
export function embedding(...args: unknown[]): Embedding {
  return make(Embedding, args);
}
