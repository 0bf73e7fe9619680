/**
 * @file The step engine of optimizers whose update rule is not elementwise and is written with ops. What all optimizers
 * share (scaling, accumulation, clipping, decay, averages) is written with ops, too, in the order of Keras's
 * BaseOptimizer.
 */
import type { Pieces } from '../../core/pieces.ts';
import { withDevice } from '../../webgpu/current.ts';
import type { Device } from '../../webgpu/device.ts';
import { onReplay } from '../../execution/currentExecutor.ts';
import { DynamicScalar } from '../../webgpu/params.ts';
import { bitsOf } from '../../core/bits.ts';
import { kernels } from '../../kernels/loading/loadKernels.ts';
import { accumulatorState, averageState } from '../../kernels/optimizers/optimizerStep.ts';
import { output } from '../../kernels/launch/output.ts';
import { add, div, mul, sub } from '../../ops/elementwise/arithmetic.ts';
import { clip } from '../../ops/elementwise/clip.ts';
import { notEqual } from '../../ops/elementwise/comparison.ts';
import { zeros } from '../../ops/creation/creation.ts';
import { maximum } from '../../ops/elementwise/maximum.ts';
import { changeSlices, hasSlices, sumOfSlices } from '../../ops/indexing/slices.ts';
import { sum } from '../../ops/reductions/sum.ts';
import { sqrt, square } from '../../ops/elementwise/unary.ts';
import { where } from '../../ops/elementwise/where.ts';
import { tidy } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { Variable } from '../../tensor/variable.ts';
import type { EngineParts, StepEngine } from './stepEngine.ts';
import type { HostVariable } from './hostVariable.ts';

/** The update rule of one variable. */
export interface OpRule {
  /** The slot variables of a variable; a HostVariable takes the place of a slot that it doesn't need. */
  makeSlots(variable: Variable): (Variable | HostVariable)[];
  /**
   * New values of the variable and of its slots on the device. `scalar` makes a tensor of a number that may change. `squares` take
   * the place of the gradient's squares where it is a sum of slices; null elsewhere.
   */
  update(
    value: Tensor,
    gradient: Tensor,
    slots: readonly Tensor[],
    scalar: DynamicTensor,
    variable: Variable,
    squares: Tensor | null,
  ): Tensor[];
}

/** A gradient, and the sums of the squares of its slices if they are read and it is a sum of slices (ops/indexing/slices.ts). */
export interface ClippedGradient {
  readonly gradient: Tensor;
  readonly squares: Tensor | null;
}

/** A scalar tensor whose value is what `read` returns at each replay. */
export type DynamicTensor = (read: () => number) => Tensor;

interface Slots {
  readonly own: readonly (Variable | HostVariable)[];
  readonly average: Variable | null;
  readonly accumulator: Variable | null;
}

export class OpStepEngine implements StepEngine {
  readonly isPacked = true;

  private constructor(
    private readonly parts: EngineParts,
    private readonly rule: OpRule,
    private readonly slots: ReadonlyMap<Variable, Slots>,
  ) {}

  /** Creates the slot variables, in pieces. If it is ended early, it frees them. */
  static *create(
    parts: EngineParts,
    rule: OpRule,
    nameFor: (variable: Variable, state: string) => string,
  ): Pieces<OpStepEngine> {
    const { extras, variables } = parts;
    const make = (variable: Variable, slot: string) => makeSlot(variable, nameFor(variable, slot));
    const slots = new Map<Variable, Slots>();
    const engine = new OpStepEngine(parts, rule, slots);
    let isComplete = false;
    try {
      for (const variable of variables) {
        slots.set(variable, {
          average: extras.useEma ? make(variable, averageState) : null,
          accumulator: extras.accumulating ? make(variable, accumulatorState) : null,
          own: rule.makeSlots(variable),
        });
        yield;
      }
      isComplete = true;
      return engine;
    } finally {
      if (!isComplete) engine.dispose();
    }
  }

  get stateVariables(): (Variable | HostVariable)[] {
    const slots = [...this.slots.values()];
    const all = [
      ...slots.map(({ average }) => average),
      ...slots.map(({ accumulator }) => accumulator),
      ...slots.flatMap(({ own }) => own),
    ];
    return all.filter((slot) => slot !== null);
  }

  repack(): void {}

  run(gradients: ReadonlyMap<Variable, Tensor>): void {
    this.runClipped(gradients, this.#clipped(this.unclipped(gradients)));
  }

  /** The same with gradients that were clipped elsewhere, where `gradients` are `unclipped`. */
  runClipped(
    gradients: ReadonlyMap<Variable, Tensor>,
    clipped: ReadonlyMap<Variable, ClippedGradient>,
  ): void {
    const { numbers, extras, variables } = this.parts;
    const { device } = variables[0] as Variable;
    const scalar: DynamicTensor = (read) => dynamicTensor(device, read);
    const isUpdate = extras.accumulating
      ? notEqual(
          scalar(() => numbers.update.value),
          0,
        )
      : null;
    const decay = extras.decayed ? scalar(() => numbers.decay.value) : null;
    for (const [variable, gradient] of clipped) {
      tidy(() => this.#update(variable, gradient, isUpdate, decay, scalar));
    }
    if (extras.accumulating && isUpdate) this.#accumulate(gradients, isUpdate);
    if (extras.useEma) this.#average(scalar);
  }

  averageOf(variable: Variable): Variable | null {
    return this.slots.get(variable)?.average ?? null;
  }

  dispose(): void {
    for (const state of this.stateVariables) if (state instanceof Variable) state.dispose();
  }

  /** Gradients before clipping: unscaled, and averaged over the accumulated steps. */
  unclipped(gradients: ReadonlyMap<Variable, Tensor>): Map<Variable, Tensor> {
    const { numbers } = this.parts;
    return mapValues(gradients, (gradient, variable) => {
      const unscaled = this.#unscaled(gradient);
      const accumulator = this.slots.get(variable)?.accumulator;
      return accumulator ? div(add(unscaled, accumulator), numbers.accumulation_steps) : unscaled;
    });
  }

  #unscaled(gradient: Tensor): Tensor {
    const { extras, numbers } = this.parts;
    const unscale = (x: Tensor) => div(x, numbers.loss_scale);
    return extras.scaled ? changeSlices(unscale(gradient), gradient, unscale) : gradient;
  }

  /** As in Keras, slices are clipped and squared before they are summed, and norms are those of slices. */
  #clipped(gradients: Map<Variable, Tensor>): Map<Variable, ClippedGradient> {
    const { clipping } = this.parts.extras;
    const limit = this.parts.numbers.clip;
    const squaresOf = (gradient: Tensor) => (hasSlices(gradient) ? sumOfSlices(gradient, square) : null);
    const squared = (gradient: Tensor) => sum(squaresOf(gradient) ?? square(gradient));
    const scaleOf = (norm: Tensor) => div(limit, maximum(norm, limit));
    if (clipping === 'none')
      return mapValues(gradients, (gradient) => ({ gradient, squares: squaresOf(gradient) }));
    if (clipping === 'value') {
      const bounded = (x: Tensor) => clip(x, { min: -limit, max: limit });
      return mapValues(gradients, (gradient) =>
        hasSlices(gradient)
          ? {
              gradient: sumOfSlices(gradient, bounded),
              squares: sumOfSlices(gradient, (x) => square(bounded(x))),
            }
          : { gradient: bounded(gradient), squares: null },
      );
    }
    if (clipping === 'norm') {
      return mapValues(gradients, (gradient) => {
        const squares = squaresOf(gradient);
        const scale = scaleOf(sqrt(sum(squares ?? square(gradient))));
        return { gradient: mul(gradient, scale), squares: squares && mul(squares, square(scale)) };
      });
    }
    const norm = sqrt([...gradients.values()].map(squared).reduce((a, b) => add(a, b)));
    // An infinite norm makes all gradients NaN, as in Keras. What is clipped by it is a sum.
    const scale = add(scaleOf(norm), sub(norm, norm));
    return mapValues(gradients, (gradient) => ({ gradient: mul(gradient, scale), squares: null }));
  }

  #update(
    variable: Variable,
    { gradient, squares }: ClippedGradient,
    isUpdate: Tensor | null,
    decay: Tensor | null,
    scalar: DynamicTensor,
  ): void {
    const slots = (this.slots.get(variable) as Slots).own.filter((slot) => slot instanceof Variable);
    const decays = decay && this.parts.isDecayed(variable);
    const value = decays ? sub(variable, mul(variable, decay)) : variable;
    const updated = this.rule.update(value, gradient, slots, scalar, variable, squares);
    for (const [i, target] of [variable, ...slots].entries()) {
      const next = updated[i] as Tensor;
      target.assign(isUpdate ? where(isUpdate, next, target) : next);
    }
  }

  #accumulate(gradients: ReadonlyMap<Variable, Tensor>, isUpdate: Tensor): void {
    for (const [variable, gradient] of gradients) {
      const accumulator = this.slots.get(variable)?.accumulator as Variable;
      tidy(() => accumulator.assign(where(isUpdate, 0, add(accumulator, this.#unscaled(gradient)))));
    }
  }

  #average(scalar: DynamicTensor): void {
    const { numbers } = this.parts;
    const momentum = scalar(() => numbers.average_momentum.value);
    const overwrites = notEqual(
      scalar(() => numbers.overwrite.value),
      0,
    );
    for (const [variable, { average }] of this.slots) {
      if (!average || variable.disposed) continue;
      tidy(() => {
        const next = add(mul(momentum, average), mul(sub(1, momentum), variable));
        average.assign(next);
        variable.assign(where(overwrites, next, variable));
      });
    }
  }
}

/** A slot variable of zeros. Default: in the shape of `variable`. */
export function makeSlot(variable: Variable, name: string, shape = variable.shape): Variable {
  const initial = withDevice(variable.device, () => zeros(shape));
  const slot = new Variable(initial, { name, trainable: false });
  initial.dispose();
  return slot;
}

/** Returns a scalar tensor that is filled again at each replay. */
function dynamicTensor(device: Device, read: () => number): Tensor {
  const bits = new DynamicScalar(0);
  onReplay(() => {
    bits.value = bitsOf(read(), 'float32');
  });
  const scalar = output(device, { shape: [], dtype: 'float32' }, 'optimizer');
  kernels().fillRange(device, scalar.storage, 1, bits);
  return scalar;
}

function mapValues<A, B>(
  map: ReadonlyMap<Variable, A>,
  change: (value: A, variable: Variable) => B,
): Map<Variable, B> {
  return new Map([...map].map(([variable, gradient]) => [variable, change(gradient, variable)]));
}
