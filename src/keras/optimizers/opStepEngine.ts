/**
 * @file The engine of optimizers whose rule isn't the same for every value, and is written with ops. What is common to all
 * optimizers comes around the rule, with ops as well, in the order of Keras's BaseOptimizer.
 */
import { type Device, withDevice } from '../../webgpu/device.ts';
import { onReplay } from '../../webgpu/onReplay.ts';
import { DynamicScalar } from '../../webgpu/params.ts';
import { bitsOf, fillRange } from '../../kernels/fill.ts';
import { accumulatorState, averageState } from '../../kernels/optimizerStep.ts';
import { output } from '../../kernels/output.ts';
import { add, div, mul, sub } from '../../ops/arithmetic.ts';
import { clip } from '../../ops/clip.ts';
import { notEqual } from '../../ops/comparison.ts';
import { zeros } from '../../ops/creation.ts';
import { maximum } from '../../ops/maximum.ts';
import { sum } from '../../ops/sum.ts';
import { sqrt, square } from '../../ops/unary.ts';
import { where } from '../../ops/where.ts';
import { tidy } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { Variable } from '../../tensor/variable.ts';
import type { EngineParts, StepEngine } from './stepEngine.ts';
import type { HostVariable } from './hostVariable.ts';

/** A rule, for one variable. */
export interface OpsRule {
  /** The states of a variable; those on the host stand for states that it doesn't have. */
  makeStates(variable: Variable): (Variable | HostVariable)[];
  /** New values of the variable and of its states on the device; `scalar` brings a number of the host to the device. */
  move(value: Tensor, gradient: Tensor, states: readonly Tensor[], scalar: LiveScalar): Tensor[];
}

/** The number that `read` gives at each run, as a tensor. */
export type LiveScalar = (read: () => number) => Tensor;

interface OpsMember {
  readonly states: readonly (Variable | HostVariable)[];
  readonly average: Variable | null;
  readonly accumulator: Variable | null;
}

export class OpsEngine implements StepEngine {
  readonly settled = true;
  readonly #members: ReadonlyMap<Variable, OpsMember>;

  constructor(
    private readonly parts: EngineParts,
    private readonly rule: OpsRule,
    nameFor: (variable: Variable, state: string) => string,
  ) {
    const { extras, variables } = parts;
    const beside = (variable: Variable, state: string) => makeState(variable, nameFor(variable, state));
    this.#members = new Map(
      variables.map((variable) => [
        variable,
        {
          average: extras.useEma ? beside(variable, averageState) : null,
          accumulator: extras.accumulating ? beside(variable, accumulatorState) : null,
          states: rule.makeStates(variable),
        },
      ]),
    );
  }

  get stateVariables(): (Variable | HostVariable)[] {
    const members = [...this.#members.values()];
    const all = [
      ...members.map(({ average }) => average),
      ...members.map(({ accumulator }) => accumulator),
      ...members.flatMap(({ states }) => states),
    ];
    return all.filter((state) => state !== null);
  }

  settle(): void {}

  run(gradients: ReadonlyMap<Variable, Tensor>): void {
    const { numbers, extras } = this.parts;
    const { device } = gradients.keys().next().value as Variable;
    const scalar: LiveScalar = (read) => liveScalar(device, read);
    const isUpdate = extras.accumulating
      ? notEqual(
          scalar(() => numbers.update.value),
          0,
        )
      : null;
    const decay = extras.decayed ? scalar(() => numbers.decay.value) : null;
    for (const [variable, gradient] of this.#clipped(this.#effective(gradients))) {
      tidy(() => this.#move(variable, gradient, isUpdate, decay, scalar));
    }
    if (extras.accumulating && isUpdate) this.#accumulate(gradients, isUpdate);
    if (extras.useEma) this.#average(scalar);
  }

  takeAverages(variables: readonly Variable[]): void {
    for (const variable of variables) {
      const average = this.#members.get(variable)?.average;
      if (average && !variable.disposed) variable.assign(average);
    }
  }

  dispose(): void {
    for (const state of this.stateVariables) if (state instanceof Variable) state.dispose();
  }

  /** Gradients as the rule wants them, but for clipping: unscaled, and the mean of those since the last update. */
  #effective(gradients: ReadonlyMap<Variable, Tensor>): Map<Variable, Tensor> {
    const { numbers } = this.parts;
    return mapValues(gradients, (gradient, variable) => {
      const unscaled = this.#unscaled(gradient);
      const accumulator = this.#members.get(variable)?.accumulator;
      return accumulator ? div(add(unscaled, accumulator), numbers.accumulation_steps) : unscaled;
    });
  }

  #unscaled(gradient: Tensor): Tensor {
    return this.parts.extras.scaled ? div(gradient, this.parts.numbers.loss_scale) : gradient;
  }

  #clipped(gradients: Map<Variable, Tensor>): Map<Variable, Tensor> {
    const { clipping } = this.parts.extras;
    const limit = this.parts.numbers.clip;
    const squared = (gradient: Tensor) => sum(square(gradient));
    const scaleOf = (norm: Tensor) => div(limit, maximum(norm, limit));
    if (clipping === 'none') return gradients;
    if (clipping === 'value') return mapValues(gradients, (g) => clip(g, { min: -limit, max: limit }));
    if (clipping === 'norm') return mapValues(gradients, (g) => mul(g, scaleOf(sqrt(squared(g)))));
    const norm = sqrt([...gradients.values()].map(squared).reduce((a, b) => add(a, b)));
    // An infinite norm makes all gradients NaN.
    const scale = add(scaleOf(norm), sub(norm, norm));
    return mapValues(gradients, (g) => mul(g, scale));
  }

  #move(
    variable: Variable,
    gradient: Tensor,
    isUpdate: Tensor | null,
    decay: Tensor | null,
    scalar: LiveScalar,
  ): void {
    const states = (this.#members.get(variable) as OpsMember).states.filter(
      (state) => state instanceof Variable,
    );
    const decays = decay && this.parts.isDecayed(variable);
    const value = decays ? sub(variable, mul(variable, decay)) : variable;
    const moved = this.rule.move(value, gradient, states, scalar);
    for (const [i, target] of [variable, ...states].entries()) {
      const next = moved[i] as Tensor;
      target.assign(isUpdate ? where(isUpdate, next, target) : next);
    }
  }

  #accumulate(gradients: ReadonlyMap<Variable, Tensor>, isUpdate: Tensor): void {
    for (const [variable, gradient] of gradients) {
      const accumulator = this.#members.get(variable)?.accumulator as Variable;
      tidy(() => accumulator.assign(where(isUpdate, 0, add(accumulator, this.#unscaled(gradient)))));
    }
  }

  #average(scalar: LiveScalar): void {
    const { numbers } = this.parts;
    const momentum = scalar(() => numbers.average_momentum.value);
    const overwrites = notEqual(
      scalar(() => numbers.overwrite.value),
      0,
    );
    for (const [variable, { average }] of this.#members) {
      if (!average || variable.disposed) continue;
      tidy(() => {
        const next = add(mul(momentum, average), mul(sub(1, momentum), variable));
        average.assign(next);
        variable.assign(where(overwrites, next, variable));
      });
    }
  }
}

function makeState(variable: Variable, name: string): Variable {
  const initial = withDevice(variable.device, () => zeros(variable.shape));
  const state = new Variable(initial, { name, trainable: false });
  initial.dispose();
  return state;
}

/** A scalar whose word is packed anew at each run. */
function liveScalar(device: Device, read: () => number): Tensor {
  const bits = new DynamicScalar(0);
  onReplay(() => {
    bits.value = bitsOf(read(), 'float32');
  });
  const scalar = output(device, { shape: [], dtype: 'float32' }, 'optimizer');
  fillRange(device, scalar.storage, 1, bits);
  return scalar;
}

function mapValues(
  map: ReadonlyMap<Variable, Tensor>,
  change: (gradient: Tensor, variable: Variable) => Tensor,
): Map<Variable, Tensor> {
  return new Map([...map].map(([variable, gradient]) => [variable, change(gradient, variable)]));
}
