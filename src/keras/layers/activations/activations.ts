/** @file Layers that apply an activation, some with options or learned slopes. */
import { ValueError } from '../../../core/errors.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import {
  type Activation as ActivationFunction,
  type ActivationLike,
  activationOf,
} from '../../activations.ts';
import {
  type CallOptions,
  checked,
  factoryOf,
  type InputSpec,
  type Layer,
  layer,
  type LayerOptions,
  number,
  weights,
} from '../base/declare.ts';
import { activation as anyActivation } from '../../options/weightKinds.ts';
import type { OptionPlace } from '../../options/option.ts';
import { add, mul, neg, sub } from '../../../ops/elementwise/arithmetic.ts';
import { cast } from '../../../ops/elementwise/cast.ts';
import { logSumExp } from '../../../ops/reductions/logSumExp.ts';
import { softmax as probabilities } from '../../../ops/activations/softmax.ts';
import { exp } from '../../../ops/elementwise/unary.ts';
import { where } from '../../../ops/elementwise/where.ts';
import { axisOrAxes } from '../normalization/unitNormalization.ts';
import { describe, type OpenShape } from '../../../core/shape.ts';
import { elu as exponentialLinear, leakyRelu, relu, relu6 } from '../../../ops/activations/rectifiers.ts';
import type { Variable } from '../../../tensor/variable.ts';
import type { ConstraintLike } from '../../constraints/index.ts';
import type { InitializerLike } from '../../initializers/index.ts';
import type { RegularizerLike } from '../../regularizers/index.ts';
import { requireSize } from '../base/inputSpec.ts';
import { reluWith } from '../../activationFunctions.ts';
import { underPresentNames } from '../../options/formerNames.ts';

export interface ActivationOptions extends LayerOptions {
  /** The activation: a name such as 'relu', or a function of tensors. */
  activation: ActivationLike;
}

export class Activation extends /* @__PURE__ */ layer<ActivationOptions>('Activation', () => ({
  activation: { ...anyActivation(), read: required },
})) {
  override readonly supportsMasking: boolean = true;

  override call(x: Tensor): Tensor {
    return this.activation(x);
  }
}

function required(given: unknown, { op }: OptionPlace): ActivationFunction {
  if (given !== undefined) return activationOf(given as ActivationLike);
  throw new ValueError({
    op,
    rule: 'it needs an activation.',
    received: 'none',
    hint: "pass its name: layers.activation('relu').",
  });
}

/** An activation function as a layer. Shape: that of the input. Errors: ValueError for an unknown name. */
export const activation = /* @__PURE__ */ factoryOf(Activation, ['activation']);

export interface SoftmaxOptions extends LayerOptions {
  /** The axis, or the axes, whose values sum to 1. Default -1. */
  axis?: number | readonly number[];
}

/** Added to masked values, so that their probability is 0. */
const hidden = -1e9;

export class Softmax extends /* @__PURE__ */ layer<SoftmaxOptions>('Softmax', () => ({
  axis: checked(axisOrAxes, -1),
})) {
  override readonly supportsMasking: boolean = true;
  override readonly takesMask: boolean = true;

  override call(x: Tensor, { mask }: CallOptions): Tensor {
    if (!mask) return this.#normalize(x);
    const shown = cast(mask as Tensor, 'bool');
    // Where a mask hides a whole axis, all probabilities are 0.
    return where(shown, this.#normalize(where(shown, x, hidden)), 0);
  }

  #normalize(x: Tensor): Tensor {
    const axes = Array.isArray(this.axis) ? this.axis : [this.axis];
    if (axes.length === 1) return probabilities(x, { axis: axes[0] as number });
    return exp(sub(x, logSumExp(x, { axis: axes, keepDims: true })));
  }
}

/**
 * exp(x) over its sum along `axis`. Shape: that of the input. float32. A mask of the input's shape, passed to the call,
 * excludes values. Errors: ValueError for an invalid axis; ShapeError for one that the input lacks.
 */
export const softmax = /* @__PURE__ */ factoryOf(Softmax, ['axis']);

export interface PReLUOptions extends LayerOptions {
  /** Initial slopes below 0. Default 'zeros'. */
  alphaInitializer?: InitializerLike;
  /** Penalty on the slopes, added to the loss. Default: none. */
  alphaRegularizer?: RegularizerLike | null;
  /** Applied to the slopes after each step. Default: none. */
  alphaConstraint?: ConstraintLike | null;
  /** Axes that share one slope, such as [1, 2] for images. Default: none. */
  sharedAxes?: number | readonly number[] | null;
}

export class PReLU extends /* @__PURE__ */ layer<PReLUOptions>('PReLU', () => ({
  ...weights({ alpha: 'zeros' }),
  sharedAxes: checked(sampleAxes, null),
})) {
  override readonly supportsMasking: boolean = true;
  alpha: Variable | null = null;
  protected override inputSpec: readonly InputSpec[] = [{ minRank: 2 }];
  declare readonly sharedAxes: readonly number[] | null;

  override build(inputShape: OpenShape): void {
    const shared = this.sharedAxes ?? [];
    const shape = inputShape
      .map((_, axis) => (axis === 0 || shared.includes(axis) ? 1 : requireSize(this.name, inputShape, axis)))
      .slice(1);
    this.alpha = this.addWeight('alpha', { shape, ...this.weightRules('alpha') });
    const own = shape.flatMap((size, i) => (shared.includes(i + 1) ? [] : [[i + 1, size]]));
    this.inputSpec = [{ rank: inputShape.length, axes: Object.fromEntries(own) }];
  }

  override call(x: Tensor): Tensor {
    return add(relu(x), mul(neg(this.alpha as Tensor), relu(neg(x))));
  }
}

function sampleAxes(op: string, what: string, axes: number | readonly number[]): readonly number[] {
  const list = typeof axes === 'object' ? axes : [axes];
  if (Array.isArray(list) && list.every((axis) => Number.isInteger(axis) && axis >= 1)) return list;
  throw new ValueError({
    op,
    rule: `\`${what}\` are axes of a sample, counted from 1.`,
    received: `${what}: ${describe(axes)}`,
    hint: 'pass [1, 2] to share slopes over the pixels of an image.',
  });
}

/**
 * x above 0, alpha · x below. Shape: that of the input. float32. Weights: alpha, of the shape of a sample, with 1 along
 * `sharedAxes`. He et al., Delving deep into rectifiers, ICCV 2015.
 * Errors: ValueError for invalid options; ShapeError for open sizes that aren't shared.
 */
export const prelu = /* @__PURE__ */ factoryOf(PReLU);

export interface ReLUOptions extends LayerOptions {
  /** The largest value of the result. Default null: no bound. */
  maxValue?: number | null;
  /** Slope below the threshold. Default 0. */
  negativeSlope?: number;
  /** Only values above the threshold are passed through. Default 0. */
  threshold?: number;
}

export class ReLU extends /* @__PURE__ */ layer<ReLUOptions>('ReLU', () => ({
  maxValue: number({ min: 0, default: null }),
  negativeSlope: number({ min: 0, default: 0 }),
  threshold: number({ min: 0, default: 0 }),
})) {
  override readonly supportsMasking: boolean = true;

  override call(x: Tensor): Tensor {
    const { maxValue, negativeSlope, threshold } = this;
    if (threshold === 0 && negativeSlope === 0 && maxValue === 6) return relu6(x);
    if (threshold === 0 && negativeSlope > 0 && maxValue === null) return leakyRelu(x, { negativeSlope });
    return reluWith(x, { maxValue, negativeSlope, threshold });
  }
}

export interface LeakyReLUOptions extends LayerOptions {
  /** The factor of negative values. Default 0.3. */
  negativeSlope?: number;
  /** @deprecated The name of `negativeSlope` in TF.js and Keras 2. */
  alpha?: number;
}

export class LeakyReLU extends /* @__PURE__ */ layer<LeakyReLUOptions, Layer, 'alpha'>('LeakyReLU', () => ({
  negativeSlope: number({ default: 0.3 }),
})) {
  override readonly supportsMasking: boolean = true;

  constructor(options?: LeakyReLUOptions) {
    super(underPresentNames('LeakyReLU', options, { alpha: 'negativeSlope' }));
  }

  override call(x: Tensor): Tensor {
    return leakyRelu(x, { negativeSlope: this.negativeSlope });
  }
}

export interface ELUOptions extends LayerOptions {
  /** Large negative inputs approach -alpha. Default 1. */
  alpha?: number;
}

export class ELU extends /* @__PURE__ */ layer<ELUOptions>('ELU', () => ({
  alpha: number({ default: 1 }),
})) {
  override readonly supportsMasking: boolean = true;

  override call(x: Tensor): Tensor {
    return exponentialLinear(x, { alpha: this.alpha });
  }
}

/**
 * x above `threshold` and up to `maxValue`, negativeSlope · (x - threshold) elsewhere. Shape: that of the input. float32.
 * Errors: ValueError for options that are negative or not numbers.
 */
export const reLU = /* @__PURE__ */ factoryOf(ReLU, ['maxValue', 'negativeSlope', 'threshold']);

/** x above 0, negativeSlope · x below. Shape: that of the input. float32. Errors: ValueError for the slope. */
export const leakyReLU = /* @__PURE__ */ factoryOf(LeakyReLU, ['negativeSlope']);

/** x above 0, alpha · (exp(x) - 1) below. Shape: that of the input. float32. Errors: ValueError for `alpha`. */
export const elu = /* @__PURE__ */ factoryOf(ELU, ['alpha']);
