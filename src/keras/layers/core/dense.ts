/** @file Dense: a matrix of weights between the last axis and the units, with bias and activation. */
import type { OptionNames, Positions } from '../../../core/options.ts';
import { type AdapterOptions, adapterOptionNames, AdaptedLayer } from '../base/adapter.ts';
import { layerOptionNames, make } from '../base/layerOptions.ts';
import {
  biasOptionNames,
  type BiasOptions,
  kernelOptionNames,
  type KernelOptions,
} from '../base/weightOptions.ts';
import { type OpenShape, requireBoolean, requireInteger } from '../../../core/shape.ts';
import { warnOnce } from '../../../core/warn.ts';
import { fusedMatMul } from '../../../ops/fusedMatMul.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import {
  type Activation,
  type ActivationLike,
  activationOf,
  serializeActivation,
  splitActivation,
} from '../../activations.ts';
import { asOperand } from '../base/dtypePolicy.ts';
import type { LayerOptions } from '../base/layer.ts';
import { requireChannels } from '../base/inputSpec.ts';
import { rulesConfig, type WeightRules, weightRules } from '../base/weightRules.ts';

/** Options of `dense`. */
export interface DenseOptions extends LayerOptions, KernelOptions, BiasOptions, AdapterOptions {
  /** Number of units: the size of the last axis of the result. */
  units: number;
  /** Applied to the result: a name or a function. Default: none. */
  activation?: ActivationLike | null;
}

/** The class of layers created by `dense`, which documents shapes, weights and errors. */
export class Dense extends AdaptedLayer {
  static override readonly className: string = 'Dense';

  static override get optionNames(): OptionNames<DenseOptions> {
    return {
      units: true,
      activation: true,
      ...kernelOptionNames,
      ...biasOptionNames,
      ...adapterOptionNames,
      ...layerOptionNames,
    };
  }

  override readonly supportsMasking: boolean = true;
  kernel: Variable | null = null;
  bias: Variable | null = null;
  readonly units: number;
  readonly activation: Activation;
  readonly useBias: boolean;
  readonly #rules: { readonly kernel: WeightRules; readonly bias: WeightRules };

  constructor(options: DenseOptions) {
    super(options);
    const { units, activation, useBias = true } = options;
    requireInteger(this.name, 'units', units, 1);
    requireBoolean(this.name, 'useBias', useBias);
    this.units = units;
    this.activation = activationOf(activation);
    if (units === 1 && this.activation === activationOf('softmax')) warnOnce(softmaxOfOne(this.name));
    this.useBias = useBias;
    this.#rules = {
      kernel: weightRules(options, 'kernel', 'glorotUniform'),
      bias: weightRules(options, 'bias', 'zeros'),
    };
    this.inputSpec = [{ minRank: 2 }];
  }

  override build(inputShape: OpenShape): void {
    const features = requireChannels(this.name, inputShape);
    const { units } = this;
    this.kernel = this.addWeight('kernel', { shape: [features, units], ...this.#rules.kernel });
    if (this.useBias) this.bias = this.addWeight('bias', { shape: [units], ...this.#rules.bias });
    this.buildAdapter();
    this.inputSpec = [{ minRank: 2, axes: { [-1]: features } }];
  }

  protected override get adaptable(): readonly ['kernel', Variable | null] {
    return ['kernel', this.kernel];
  }

  override call(x: Tensor): Tensor {
    const { fused: activation, after } = splitActivation(this.activation);
    const operand = (part: Tensor) => asOperand(part, this.dtypePolicy);
    return after(fusedMatMul(operand(x), operand(this.adapted()), this.bias, { activation }));
  }

  override getConfig(): Record<string, unknown> {
    const { units, useBias } = this;
    return {
      ...super.getConfig(),
      units,
      activation: serializeActivation(this.activation),
      useBias,
      ...rulesConfig(this.#rules),
    };
  }
}

function softmaxOfOne(name: string): string {
  return `${name}: the softmax of one unit is always 1, and nothing is trained. For two classes use a sigmoid, or two units.`;
}

/**
 * A fully connected layer: activation(x · kernel + bias) over the last axis. Shapes: [batch, …, features] → [batch, …,
 * units]. Weights: kernel [features, units] and bias [units].
 * Errors: ValueError for invalid options; ShapeError where the features don't fit.
 */
export function dense(options: DenseOptions): Dense;
export function dense(...settings: Positions<DenseOptions, ['units', 'activation']>): Dense;
export function dense(...args: unknown[]): Dense {
  return make(Dense, args);
}
