/** @file Dense: a matrix of weights between the last axis and the units, with bias and activation. */
import { type AdapterOptions, adapterTable, AdaptedLayer } from '../base/adapter.ts';
import { lowRank } from '../base/adapterValues.ts';
import type { OpenShape } from '../../../core/shape.ts';
import { warnOnce } from '../../../core/warn.ts';
import { add } from '../../../ops/elementwise/arithmetic.ts';
import { fusedMatMul } from '../../../ops/products/fusedMatMul.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import { type ActivationLike, activationOf, splitActivation } from '../../activations.ts';
import { activation, factoryOf, flag, integer, layer, type LayerOptions, weights } from '../base/declare.ts';
import { asOperand } from '../base/dtypePolicy.ts';
import { type InputSpec, requireChannels } from '../base/inputSpec.ts';
import type { BiasOptions, KernelOptions } from '../base/weightOptions.ts';

export interface DenseOptions extends LayerOptions, KernelOptions, BiasOptions, AdapterOptions {
  /** Number of units: the size of the last axis of the result. */
  units: number;
  /** Applied to the result: a name or a function. Default: none. */
  activation?: ActivationLike | null;
  /** @deprecated Number of features of the input. Begin the model with `input({ shape })`. */
  inputDim?: number;
}

export class Dense extends /* @__PURE__ */ layer<DenseOptions, AdaptedLayer, 'inputDim'>(
  'Dense',
  () => ({
    units: integer(),
    activation: activation(),
    useBias: flag(true),
    ...weights({ kernel: 'glorotUniform', bias: 'zeros' }),
    ...adapterTable(),
  }),
  AdaptedLayer,
) {
  override readonly supportsMasking: boolean = true;
  protected override inputSpec: readonly InputSpec[] = [{ minRank: 2 }];
  kernel: Variable | null = null;
  bias: Variable | null = null;

  override build(inputShape: OpenShape): void {
    const features = requireChannels(this.name, inputShape);
    const { name, units } = this;
    this.kernel = this.addWeight('kernel', { shape: [features, units], ...this.weightRules('kernel') });
    if (this.useBias) this.bias = this.addWeight('bias', { shape: [units], ...this.weightRules('bias') });
    if (units === 1 && this.activation === activationOf('softmax'))
      warnOnce(`${name}: the softmax of one unit is always 1. Use a sigmoid, or two units.`);
    this.buildAdapter();
    this.inputSpec = [{ minRank: 2, axes: { [-1]: features } }];
  }

  protected override get adaptable(): readonly ['kernel', Variable | null] {
    return ['kernel', this.kernel];
  }

  override call(x: Tensor): Tensor {
    const { fused: activation, after } = splitActivation(this.activation);
    const operand = (part: Tensor) => asOperand(part, this.dtypePolicy);
    const { added, adaptedBias: bias } = this;
    const operands = [operand(this.rounded(x)), operand(this.base())] as const;
    if (!added) return after(fusedMatMul(...operands, bias, { activation }));
    // The sum of kernel and adapter would take as much memory as the kernel, and its gradient, too.
    const first = added.magnitude ? null : bias;
    const y = this.sumOf(fusedMatMul(...operands, first), lowRank(x, added, operand), added);
    return this.activation(first === bias ? y : add(y, bias as Tensor));
  }
}

/**
 * A fully connected layer: activation(x · kernel + bias) over the last axis. Shapes: [batch, …, features] → [batch, …,
 * units]. Weights: kernel [features, units] and bias [units].
 * Errors: ValueError for invalid options; ShapeError where the features don't fit.
 */
export const dense = /* @__PURE__ */ factoryOf(Dense, ['units', 'activation']);
