/** @file Adafactor. */
import type { Pieces } from '../../core/pieces.ts';
import { add, div, mul, sub } from '../../ops/elementwise/arithmetic.ts';
import { expandDims } from '../../ops/arrangement/expandDims.ts';
import { maximum } from '../../ops/elementwise/maximum.ts';
import { mean } from '../../ops/reductions/mean.ts';
import { sqrt, square } from '../../ops/elementwise/unary.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Variable } from '../../tensor/variable.ts';
import type { EngineParts, StepEngine } from './stepEngine.ts';
import { HostVariable } from './hostVariable.ts';
import { type DynamicTensor, makeSlot, OpStepEngine } from './opStepEngine.ts';
import { Optimizer } from './optimizer.ts';
import {
  factoryOf,
  flag,
  notNegative,
  notPositive,
  optimizer,
  positive,
  type OptimizerOptions,
} from './declare.ts';

export interface AdafactorOptions extends OptimizerOptions {
  /** Exponent of the step in the decay of old squares, at most 0. Default -0.8. */
  beta2Decay?: number;
  /** Added to squared gradients. Default 1e-30. */
  epsilon1?: number;
  /** Lower bound of a variable's root mean square, which scales its steps. Default 1e-3. */
  epsilon2?: number;
  /** Upper bound of the root mean square of an update. Default 1. */
  clipThreshold?: number;
  /** Whether the rate decreases with the square root of the step. Default true. */
  relativeStep?: boolean;
}

export class Adafactor extends /* @__PURE__ */ optimizer<AdafactorOptions, Optimizer>(
  'Adafactor',
  Optimizer,
  () => ({
    beta2Decay: notPositive(-0.8),
    epsilon1: notNegative(1e-30),
    epsilon2: notNegative(1e-3),
    clipThreshold: positive(1),
    relativeStep: flag(true),
  }),
) {
  /** Decay of the old squares. */
  #kept = 0;
  #rate = 0;

  override get readsSlices(): boolean {
    return true;
  }

  /** As in Keras, the rate decreases with the square root of the step regardless of `relativeStep`. */
  protected override advance(step: number, rate: number): void {
    this.#rate = Math.min(rate, 1 / Math.sqrt(step));
    this.#kept = 1 - step ** this.beta2Decay;
  }

  protected override makeEngine(parts: EngineParts): Pieces<StepEngine> {
    const rule = {
      makeSlots: (variable: Variable) => this.#makeSlots(variable),
      update: (
        value: Tensor,
        gradient: Tensor,
        slots: readonly Tensor[],
        scalar: DynamicTensor,
        _variable: Variable,
        squares: Tensor | null,
      ) => this.#update(value, gradient, slots, scalar, squares),
    };
    return OpStepEngine.create(parts, rule, (variable, state) => this.slotName(variable, state));
  }

  /** Row and column means of the squared gradients, for variables with two or more axes; then the full estimate. */
  #makeSlots(variable: Variable): (Variable | HostVariable)[] {
    const { shape } = variable;
    const name = `${this.name}/${variable.path.slice(variable.path.lastIndexOf('/') + 1)}`;
    const estimate = makeSlot(variable, this.slotName(variable, 'velocity'));
    if (shape.length < 2) {
      const absent = { get: () => 0, set: () => {} };
      return [new HostVariable(name, 'int32', absent), new HostVariable(name, 'int32', absent), estimate];
    }
    const columns = [...shape.slice(0, -2), shape.at(-1) as number];
    return [makeSlot(variable, name, shape.slice(0, -1)), makeSlot(variable, name, columns), estimate];
  }

  #update(
    value: Tensor,
    gradient: Tensor,
    slots: readonly Tensor[],
    scalar: DynamicTensor,
    slices: Tensor | null,
  ): Tensor[] {
    const { epsilon1, epsilon2, clipThreshold } = this;
    const kept = scalar(() => this.#kept);
    const rest = scalar(() => 1 - this.#kept);
    const squares = add(slices ?? square(gradient), epsilon1);
    const blend = (old: Tensor, fresh: Tensor) => add(mul(kept, old), mul(rest, fresh));
    const next =
      slots.length === 1
        ? [blend(slots[0] as Tensor, squares)]
        : factored(
            blend(slots[0] as Tensor, mean(squares, { axis: -1 })),
            blend(slots[1] as Tensor, mean(squares, { axis: -2 })),
          );
    const estimate = next.at(-1) as Tensor;
    const update = div(gradient, sqrt(estimate));
    const length = slices ? sqrt(mean(div(slices, estimate))) : rootMeanSquare(update);
    const bounded = div(update, maximum(div(length, clipThreshold), 1));
    const size = mul(
      maximum(rootMeanSquare(value), epsilon2),
      scalar(() => this.#rate),
    );
    return [sub(value, mul(size, bounded)), ...next];
  }
}

/** Returns the row and column means, and the estimate of the squares that they imply. */
function factored(rows: Tensor, columns: Tensor): Tensor[] {
  const shares = div(rows, mean(rows, { axis: -1, keepDims: true }));
  const estimate = mul(expandDims(shares, { axis: -1 }), expandDims(columns, { axis: -2 }));
  return [rows, columns, estimate];
}

function rootMeanSquare(x: Tensor): Tensor {
  return sqrt(mean(square(x)));
}

/**
 * Adam without a first moment, and with second moments factored into row and column means: uses little memory for large
 * models. The learning rate, 0.001 by default, is relative to the size of each variable.
 * Source: Shazeer and Stern, ICML 2018. Errors: ValueError for options.
 */
export const adafactor = /* @__PURE__ */ factoryOf(Adafactor, ['learningRate']);
