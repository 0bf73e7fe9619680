/** @file Loss: a function of targets and predictions with a name and a reduction. */
import type { DType } from '../../core/dtype.ts';
import { ValueError } from '../../core/errors.ts';
import { checkOptions, isPlainObject, rejectExtraArguments } from '../../core/options.ts';
import { describe, hintFor } from '../../core/shape.ts';
import { logicalAnd } from '../../ops/elementwise/logical.ts';
import { isSymbolic, type SymbolicTensor } from '../../ops/define/recorders.ts';
import type { TensorLike } from '../../ops/define/operands.ts';
import { tidy } from '../../tensor/scope.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { snakeCase } from '../names.ts';
import { requireFloat32 } from './lossChecks.ts';
import { type LossInput, toTensor } from './lossInputs.ts';
import { reduceLosses, type Reduction, requireReduction } from './reduction.ts';

/** Options of every loss. */
export interface LossOptions {
  /**
   * The reduction of the losses of samples: 'sum_over_batch_size', 'mean', 'mean_with_sample_weight' or 'sum';
   * 'none' or null returns them. Default 'sum_over_batch_size'.
   */
  reduction?: Reduction;
  /** Its name in logs and errors. Default: the class's name, such as 'mean_squared_error'. */
  name?: string;
  /** As in Keras; losses compute in float32. */
  dtype?: 'float32' | null;
}

/** Options of a call. */
export interface LossCallOptions<T> {
  /** Weights of the losses of samples. */
  sampleWeight?: T | null;
  /** True where a prediction counts. */
  mask?: T | null;
}

/**
 * Base class of losses. A subclass names its class (`static className`) and computes the losses of samples in `values(yTrue,
 * yPred)`, using ops only.
 *
 *     class Pinball extends Loss {
 *       static override readonly className = 'Pinball';
 *       values(yTrue, yPred) { const e = sub(yTrue, yPred); return mean(maximum(mul(e, 0.9), mul(e, -0.1)), { axis: -1 }); }
 *     }
 */
export abstract class Loss {
  static readonly className: string = 'Loss';

  readonly name: string;
  readonly reduction: Reduction;

  constructor({ name, reduction = 'sum_over_batch_size', dtype }: LossOptions = {}) {
    this.name = name ?? snakeCase((new.target as typeof Loss).className);
    requireReduction(this.name, reduction);
    requireFloat32(this.name, dtype);
    this.reduction = reduction;
  }

  /** The class by its Keras name, which survives minification. */
  get className(): string {
    return (this.constructor as typeof Loss).className;
  }

  /** The losses of samples, before weights and reduction. */
  abstract values(yTrue: Tensor, yPred: Tensor): Tensor;

  /** Returns the mask of the values that count. Null: all. */
  maskOf(_values: Tensor, _yTrue: Tensor, _yPred: Tensor): Tensor | null {
    return null;
  }

  /** The dtype that targets are cast to; predictions are float32. */
  get targetDType(): DType {
    return 'float32';
  }

  /**
   * The loss of predictions `yPred` for targets `yTrue`: the values, times `sampleWeight`, reduced. Weights have the
   * shape of the values or broadcast to it, `mask` likewise: true where a prediction counts. A scalar, unless the reduction
   * is `none`. Both may be passed in one object, as to metrics: `call(yTrue, yPred, { sampleWeight, mask })`.
   * Errors: ShapeError where shapes don't fit; ValueError for anything but tensors.
   */
  call(
    yTrue: TensorLike,
    yPred: TensorLike,
    sampleWeight?: TensorLike | LossCallOptions<TensorLike> | null,
    mask?: TensorLike | null,
  ): Tensor;
  call(
    yTrue: LossInput,
    yPred: LossInput,
    sampleWeight?: LossInput | LossCallOptions<LossInput> | null,
    mask?: LossInput | null,
  ): SymbolicTensor;
  call(
    yTrue: LossInput,
    yPred: LossInput,
    ...others: readonly (LossInput | LossCallOptions<LossInput> | null | undefined)[]
  ): Tensor | SymbolicTensor {
    const { name } = this;
    const { sampleWeight = null, mask = null } = weightsIn(name, others);
    return tidy(() => {
      const targets = toTensor(name, 'yTrue', yTrue, this.targetDType);
      const predictions = toTensor(name, 'yPred', yPred);
      const values = this.values(targets, predictions);
      requireValues(name, values);
      const weighting = {
        sampleWeight: sampleWeight === null ? null : toTensor(name, 'sampleWeight', sampleWeight),
        mask: bothMasks(
          mask === null ? null : toTensor(name, 'mask', mask, 'bool'),
          this.maskOf(values, targets, predictions),
        ),
      };
      return reduceLosses(name, values, weighting, this.reduction);
    });
  }

  /** Returns the configuration, from which an equal loss can be created. */
  getConfig(): Record<string, unknown> {
    return { name: this.name, reduction: this.reduction };
  }

  toString(): string {
    return `${this.className} '${this.name}'`;
  }
}

/** The weights and the mask of a call: by position, or in one object. Errors: ValueError for anything else. */
function weightsIn(name: string, given: readonly unknown[]): LossCallOptions<LossInput> {
  const [first, mask, ...extra] = given as (LossInput | null)[];
  if (!isPlainObject(first) || isSymbolic(first)) {
    rejectExtraArguments(name, extra as never[], ['yTrue', 'yPred', 'sampleWeight', 'mask']);
    return { sampleWeight: first ?? null, mask: mask ?? null };
  }
  rejectExtraArguments(name, given.slice(1) as never[], ['yTrue', 'yPred', '{ sampleWeight, mask }']);
  checkOptions(name, first, ['sampleWeight', 'mask']);
  return first as LossCallOptions<LossInput>;
}

function bothMasks(a: Tensor | null, b: Tensor | null): Tensor | null {
  return a && b ? logicalAnd(a, b) : (a ?? b);
}

/** Checks the result of an app's function, which may be anything. Errors: ValueError. */
function requireValues(name: string, values: unknown): void {
  if (values instanceof Tensor || isSymbolic(values)) return;
  throw new ValueError({
    op: name,
    rule: 'a loss returns a tensor, computed with ops from (yTrue, yPred).',
    received: describe(values),
    hint: hintFor(
      values,
      'return a tensor such as mean(square(sub(yTrue, yPred)), { axis: -1 }), without async.',
    ),
  });
}
