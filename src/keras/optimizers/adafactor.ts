/** @file Adafactor. */
import { byPosition, type Settings } from '../../core/options.ts';
import { add, div, mul, sub } from '../../ops/arithmetic.ts';
import { expandDims } from '../../ops/expandDims.ts';
import { maximum } from '../../ops/maximum.ts';
import { mean } from '../../ops/mean.ts';
import { sqrt, square } from '../../ops/unary.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Variable } from '../../tensor/variable.ts';
import { requireBoolean, requireNotNegative, requireNumber, requirePositive } from './optionChecks.ts';
import type { EngineParts, StepEngine } from './stepEngine.ts';
import { HostVariable } from './hostVariable.ts';
import { type DynamicTensor, makeSlot, OpStepEngine } from './opStepEngine.ts';
import { Optimizer } from './optimizer.ts';
import type { OptimizerOptions } from './optimizerOptions.ts';

/** Options of `adafactor`. */
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

/** The class of optimizers created by `adafactor`, which documents options and errors. */
export class Adafactor extends Optimizer {
  static override readonly className: string = 'Adafactor';
  readonly own: Readonly<Required<Omit<AdafactorOptions, keyof OptimizerOptions>>>;
  /** Decay of the old squares. */
  #kept = 0;
  #rate = 0;

  constructor(options: AdafactorOptions = {}) {
    super(options, ['beta2Decay', 'epsilon1', 'epsilon2', 'clipThreshold', 'relativeStep']);
    const {
      beta2Decay = -0.8,
      epsilon1 = 1e-30,
      epsilon2 = 1e-3,
      clipThreshold = 1,
      relativeStep = true,
    } = options;
    requireNumber(this.name, 'beta2Decay', beta2Decay, 'a number of at most 0', (n) => n <= 0);
    requireNotNegative(this.name, 'epsilon1', epsilon1);
    requireNotNegative(this.name, 'epsilon2', epsilon2);
    requirePositive(this.name, 'clipThreshold', clipThreshold);
    requireBoolean(this.name, 'relativeStep', relativeStep);
    this.own = { beta2Decay, epsilon1, epsilon2, clipThreshold, relativeStep };
  }

  override get readsSlices(): boolean {
    return true;
  }

  override getConfig(): Record<string, unknown> {
    return { ...super.getConfig(), ...this.own };
  }

  /** As in Keras, the rate decreases with the square root of the step regardless of `relativeStep`. */
  protected override advance(step: number, rate: number): void {
    this.#rate = Math.min(rate, 1 / Math.sqrt(step));
    this.#kept = 1 - step ** this.own.beta2Decay;
  }

  protected override makeEngine(parts: EngineParts): StepEngine {
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
    return new OpStepEngine(parts, rule, (variable, state) => this.slotName(variable, state));
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
    const { epsilon1, epsilon2, clipThreshold } = this.own;
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
export function adafactor(...settings: Settings<AdafactorOptions, ['learningRate']>): Adafactor;
export function adafactor(...args: unknown[]): Adafactor {
  return new Adafactor(byPosition('adafactor', args, ['learningRate']));
}
