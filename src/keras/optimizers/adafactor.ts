/** @file Adafactor. */
import { withDevice } from '../../webgpu/device.ts';
import { add, div, mul, sub } from '../../ops/arithmetic.ts';
import { zeros } from '../../ops/creation.ts';
import { expandDims } from '../../ops/expandDims.ts';
import { maximum } from '../../ops/maximum.ts';
import { mean } from '../../ops/mean.ts';
import { sqrt, square } from '../../ops/unary.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { Variable } from '../../tensor/variable.ts';
import { requireBoolean, requireNotNegative, requireNumber, requirePositive } from './optionChecks.ts';
import type { EngineParts, StepEngine } from './stepEngine.ts';
import { HostVariable } from './hostVariable.ts';
import { type LiveScalar, OpsEngine } from './opStepEngine.ts';
import { Optimizer } from './optimizer.ts';
import type { OptimizerOptions } from './optimizerOptions.ts';

export interface AdafactorOptions extends OptimizerOptions {
  /** Power of the count of steps by which old squares decay, at most 0. Default -0.8. */
  beta2Decay?: number;
  /** Added to squared gradients. Default 1e-30. */
  epsilon1?: number;
  /** The least root mean square of a variable that steps are measured by. Default 1e-3. */
  epsilon2?: number;
  /** The most that the root mean square of an update may be. Default 1. */
  clipThreshold?: number;
  /** Whether the rate falls with the root of the count of steps. Default true. */
  relativeStep?: boolean;
}

export class Adafactor extends Optimizer {
  static override readonly className: string = 'Adafactor';
  readonly own: Readonly<Required<Omit<AdafactorOptions, keyof OptimizerOptions>>>;
  /** Share of old squares. */
  #kept = 0;
  #rate = 0;

  constructor(given: AdafactorOptions = {}) {
    const {
      beta2Decay = -0.8,
      epsilon1 = 1e-30,
      epsilon2 = 1e-3,
      clipThreshold = 1,
      relativeStep = true,
      ...options
    } = given;
    super(options, ['beta2Decay', 'epsilon1', 'epsilon2', 'clipThreshold', 'relativeStep']);
    requireNumber(this.name, 'beta2Decay', beta2Decay, 'a number of at most 0', (n) => n <= 0);
    requireNotNegative(this.name, 'epsilon1', epsilon1);
    requireNotNegative(this.name, 'epsilon2', epsilon2);
    requirePositive(this.name, 'clipThreshold', clipThreshold);
    requireBoolean(this.name, 'relativeStep', relativeStep);
    this.own = { beta2Decay, epsilon1, epsilon2, clipThreshold, relativeStep };
  }

  override getConfig(): Record<string, unknown> {
    return { ...super.getConfig(), ...this.own };
  }

  /** In Keras the rate falls with the root of the count whatever `relativeStep` says, and so it does here. */
  protected override advance(step: number, rate: number): void {
    this.#rate = Math.min(rate, 1 / Math.sqrt(step));
    this.#kept = 1 - step ** this.own.beta2Decay;
  }

  protected override makeEngine(parts: EngineParts): StepEngine {
    const rule = {
      makeStates: (variable: Variable) => this.#makeStates(variable),
      move: (value: Tensor, gradient: Tensor, states: readonly Tensor[], scalar: LiveScalar) =>
        this.#move(value, gradient, states, scalar),
    };
    return new OpsEngine(parts, rule, (variable, state) => this.stateName(variable, state));
  }

  /** Means of squares over rows and over columns, of which a variable with less than two axes has none; then the estimate. */
  #makeStates(variable: Variable): (Variable | HostVariable)[] {
    const { shape } = variable;
    const name = `${this.name}/${variable.path.slice(variable.path.lastIndexOf('/') + 1)}`;
    const make = (size: readonly number[], stateName: string) => {
      const initial = withDevice(variable.device, () => zeros(size));
      const state = new Variable(initial, { name: stateName, trainable: false });
      initial.dispose();
      return state;
    };
    const estimate = make(shape, this.stateName(variable, 'velocity'));
    if (shape.length < 2) {
      const absent = { get: () => 0, set: () => {} };
      return [new HostVariable(name, 'int32', absent), new HostVariable(name, 'int32', absent), estimate];
    }
    const columns = [...shape.slice(0, -2), shape.at(-1) as number];
    return [make(shape.slice(0, -1), name), make(columns, name), estimate];
  }

  #move(value: Tensor, gradient: Tensor, states: readonly Tensor[], scalar: LiveScalar): Tensor[] {
    const { epsilon1, epsilon2, clipThreshold } = this.own;
    const kept = scalar(() => this.#kept);
    const rest = scalar(() => 1 - this.#kept);
    const squares = add(square(gradient), epsilon1);
    const blend = (old: Tensor, fresh: Tensor) => add(mul(kept, old), mul(rest, fresh));
    const next =
      states.length === 1
        ? [blend(states[0] as Tensor, squares)]
        : factored(
            blend(states[0] as Tensor, mean(squares, { axis: -1 })),
            blend(states[1] as Tensor, mean(squares, { axis: -2 })),
          );
    const update = div(gradient, sqrt(next.at(-1) as Tensor));
    const bounded = div(update, maximum(div(rootMeanSquare(update), clipThreshold), 1));
    const size = mul(
      maximum(rootMeanSquare(value), epsilon2),
      scalar(() => this.#rate),
    );
    return [sub(value, mul(size, bounded)), ...next];
  }
}

/** Both means, and the estimate of all squares that they give together. */
function factored(rows: Tensor, columns: Tensor): Tensor[] {
  const shares = div(rows, mean(rows, { axis: -1, keepDims: true }));
  const estimate = mul(expandDims(shares, { axis: -1 }), expandDims(columns, { axis: -2 }));
  return [rows, columns, estimate];
}

function rootMeanSquare(x: Tensor): Tensor {
  return sqrt(mean(square(x)));
}

/**
 * Adam without a first moment, whose second moments of a matrix are kept as means of rows and columns: little memory for
 * large models. Default learning rate 0.001, measured by the size of each variable.
 * Source: Shazeer and Stern, ICML 2018. Errors: ValueError for options.
 */
export function adafactor(options?: AdafactorOptions): Adafactor {
  return new Adafactor(options);
}
