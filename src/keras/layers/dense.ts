/** @file Dense: a matrix of weights between the last axis and the units, with bias and activation. */
import { ShapeError } from '../../core/errors.ts';
import { describe, type OpenShape, requireInteger } from '../../core/shape.ts';
import { fusedMatMul } from '../../ops/fusedMatMul.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Variable } from '../../tensor/variable.ts';
import { type Activation, type ActivationLike, activationOf, splitActivation } from '../activations.ts';
import type { InitializerLike } from '../initializers/index.ts';
import { Layer, type LayerOptions } from './layer.ts';

export interface DenseOptions extends LayerOptions {
  units: number;
  /** Default: none. */
  activation?: ActivationLike | null;
  /** Default true. */
  useBias?: boolean;
  /** Default 'glorotUniform'. */
  kernelInitializer?: InitializerLike;
  /** Default 'zeros'. */
  biasInitializer?: InitializerLike;
}

export class Dense extends Layer {
  static override readonly className: string = 'Dense';
  kernel: Variable | null = null;
  bias: Variable | null = null;
  readonly units: number;
  readonly activation: Activation;
  readonly useBias: boolean;
  readonly #kernelInitializer: InitializerLike;
  readonly #biasInitializer: InitializerLike;

  constructor(options: DenseOptions) {
    super(options);
    const {
      units,
      activation,
      useBias = true,
      kernelInitializer = 'glorotUniform',
      biasInitializer = 'zeros',
    } = options;
    requireInteger(this.name, 'units', units, 1);
    this.units = units;
    this.activation = activationOf(activation);
    this.useBias = useBias;
    this.#kernelInitializer = kernelInitializer;
    this.#biasInitializer = biasInitializer;
    this.inputSpec = [{ minRank: 2 }];
  }

  override build(inputShape: OpenShape): void {
    const features = inputShape.at(-1) ?? null;
    if (features === null) {
      throw new ShapeError({
        op: this.name,
        rule: 'the last size of the input must be known.',
        received: describe(inputShape),
        mend: 'give it, as in input({ shape: [null, 8] }).',
      });
    }
    const { units } = this;
    this.kernel = this.addWeight('kernel', {
      shape: [features, units],
      initializer: this.#kernelInitializer,
    });
    if (this.useBias) {
      this.bias = this.addWeight('bias', { shape: [units], initializer: this.#biasInitializer });
    }
    this.inputSpec = [{ minRank: 2, axes: { [-1]: features } }];
  }

  override call(x: Tensor): Tensor {
    const { fused: activation, after } = splitActivation(this.activation);
    return after(fusedMatMul(x, this.kernel as Tensor, this.bias, { activation }));
  }

  override getConfig(): Record<string, unknown> {
    const { units, useBias } = this;
    return { ...super.getConfig(), units, useBias };
  }
}

/**
 * A fully connected layer: activation(x · kernel + bias) over the last axis. Shapes: [batch, …, features] → [batch, …,
 * units]. Weights: kernel [features, units] and bias [units].
 * Errors: ValueError for bad options; ShapeError where the features don't fit.
 */
export function dense(options: DenseOptions): Dense {
  return new Dense(options);
}
