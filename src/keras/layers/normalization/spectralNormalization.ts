/** @file SpectralNormalization: a layer whose kernel is divided by its largest singular value. */
import { ValueError } from '../../../core/errors.ts';
import type { OpenShape } from '../../../core/shape.ts';
import { div } from '../../../ops/elementwise/arithmetic.ts';
import { equal } from '../../../ops/elementwise/comparison.ts';
import { matMul } from '../../../ops/products/matMul.ts';
import { unrecorded } from '../../../ops/define/recorders.ts';
import { reshape } from '../../../ops/arrangement/reshape.ts';
import { where } from '../../../ops/elementwise/where.ts';
import { tidy } from '../../../tensor/scope.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { Variable } from '../../../tensor/variable.ts';
import { truncatedNormal } from '../../initializers/index.ts';
import type { ClassConfig } from '../../namedObjects.ts';
import { isTracing } from '../../graph/tracing.ts';
import { inner } from '../recurrent/timeDistributed.ts';
import { unitLength } from './unitNormalization.ts';
import {
  type CallOptions,
  factoryOf,
  integer,
  layer,
  type Layer,
  type LayerOptions,
} from '../base/declare.ts';

export interface SpectralNormalizationOptions extends LayerOptions {
  /** A layer with a `kernel` or `embeddings`. */
  layer: Layer | ClassConfig;
  /** Steps of the power method at each call in training. Default 1. */
  powerIterations?: number;
}

export class SpectralNormalization extends /* @__PURE__ */ layer<SpectralNormalizationOptions>(
  'SpectralNormalization',
  () => ({ powerIterations: integer({ default: 1 }), layer: inner() }),
) {
  /** Estimate of the left singular vector. */
  vectorU: Variable | null = null;

  /** In Keras's order: the kernel counts as a weight of this layer. */
  override get weights(): Variable[] {
    const weights = super.weights;
    if (!this.vectorU) return weights;
    const kernel = this.#kernel();
    return [kernel, ...weights.filter((weight) => weight !== kernel)];
  }

  /** Keras keeps the kernel as a property of this layer, too, and saves it in both places. */
  get savedVariables(): readonly Variable[] {
    return this.vectorU ? [this.#kernel(), this.vectorU] : [];
  }

  override build(inputShape: OpenShape): void {
    this.layer.ensureBuilt(inputShape);
    const columns = this.#kernel().shape.at(-1) as number;
    this.vectorU = this.addWeight('vector_u', {
      shape: [1, columns],
      initializer: truncatedNormal({ stddev: 0.02 }),
      trainable: false,
    });
  }

  override call(x: Tensor, { training = false }: CallOptions): Tensor {
    if (training && !isTracing()) unrecorded(() => tidy(() => this.#normalize()));
    return this.layer.apply(x, { training });
  }

  override computeOutputShape(inputShape: OpenShape): OpenShape {
    return this.layer.computeOutputShape(inputShape) as OpenShape;
  }

  /** Divides the kernel by its largest singular value, by the power method. A kernel of zeros is left unchanged. */
  #normalize(): void {
    const kernel = this.#kernel();
    const columns = kernel.shape.at(-1) as number;
    const weights = reshape(kernel, { shape: [-1, columns] });
    let u: Tensor = this.vectorU as Variable;
    let v = u;
    for (let i = 0; i < this.powerIterations; i++) {
      v = unitLength(matMul(u, weights, { transposeB: true }), [0, 1]);
      u = unitLength(matMul(v, weights), [0, 1]);
    }
    const sigma = matMul(matMul(v, weights), u, { transposeB: true });
    const isZero = equal(sigma, 0);
    this.vectorU?.assign(where(isZero, this.vectorU, u));
    kernel.assign(div(kernel, reshape(where(isZero, 1, sigma), { shape: [] })));
  }

  #kernel(): Variable {
    const { kernel, embeddings } = this.layer as { kernel?: unknown; embeddings?: unknown };
    const found = kernel ?? embeddings;
    if (found instanceof Variable) return found;
    throw new ValueError({
      op: this.name,
      rule: '`layer` has a kernel or embeddings.',
      received: `layer: ${this.layer}`,
      hint: 'wrap a dense or a convolutional layer, or an embedding.',
    });
  }
}

/**
 * A layer whose kernel is divided by its largest singular value, which `powerIterations` steps of the power method find at
 * each call in training. Shapes: those of the layer. Weights: vector_u [1, columns of the kernel], and those of the layer.
 * Miyato, Kataoka, Koyama and Yoshida, Spectral normalization for generative adversarial networks, ICLR 2018.
 * Errors: ValueError for invalid options, and for a layer without a kernel.
 */
export const spectralNormalization = /* @__PURE__ */ factoryOf(SpectralNormalization, [
  'layer',
  'powerIterations',
]);
