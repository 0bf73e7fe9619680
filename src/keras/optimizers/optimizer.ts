/**
 * @file What optimizers have in common: a learning rate, a count of steps, and state variables beside each variable
 * that they move. Everything stays on the device; a step waits for nothing.
 */
import { DTypeError, ShapeError, ValueError } from '../../core/errors.ts';
import { describe, sameShape } from '../../core/shape.ts';
import { formatSpec } from '../../core/spec.ts';
import { zeros } from '../../ops/creation.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { Variable } from '../../tensor/variable.ts';
import { snakeCase, uniqueName } from '../names.ts';

export interface OptimizerOptions {
  learningRate?: number;
  name?: string;
}

export abstract class Optimizer {
  static readonly className: string = 'Optimizer';
  readonly name: string;
  /** Steps taken so far. */
  iterations = 0;
  #learningRate: number;
  readonly #states = new Map<Variable, Readonly<Record<string, Variable>>>();

  constructor({ learningRate = 0.001, name }: OptimizerOptions) {
    this.name = name ?? uniqueName(snakeCase((this.constructor as typeof Optimizer).className));
    this.#learningRate = this.#checkedRate(learningRate);
  }

  /** Can be set between steps. */
  get learningRate(): number {
    return this.#learningRate;
  }

  set learningRate(value: number) {
    this.#learningRate = this.#checkedRate(value);
  }

  /** State variables of all variables that were moved, for saving. */
  get variables(): Variable[] {
    return [...this.#states.values()].flatMap((state) => Object.values(state));
  }

  /**
   * One step: moves each variable by its gradient. A null gradient leaves its variable, and its state, as they are.
   * Errors: ValueError where lists differ in length or all gradients are null; ShapeError and DTypeError where a
   * gradient isn't like its variable.
   */
  apply(gradients: readonly (Tensor | null)[], variables: readonly Variable[]): void {
    this.#check(gradients, variables);
    const step = this.iterations + 1;
    variables.forEach((variable, i) => {
      const gradient = gradients[i];
      if (gradient) this.update(variable, gradient, this.#stateOf(variable), step);
    });
    this.iterations = step;
  }

  /** Frees the state. */
  dispose(): void {
    for (const variable of this.variables) variable.dispose();
    this.#states.clear();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  getConfig(): Record<string, unknown> {
    return { name: this.name, learningRate: this.learningRate };
  }

  /** Names of the state variables beside each variable; they begin as zeros. */
  protected abstract readonly stateNames: readonly string[];

  /** Step number `step`, from 1, of one variable. */
  protected abstract update(
    variable: Variable,
    gradient: Tensor,
    state: Readonly<Record<string, Variable>>,
    step: number,
  ): void;

  #stateOf(variable: Variable): Readonly<Record<string, Variable>> {
    const known = this.#states.get(variable);
    if (known) return known;
    const made = Object.fromEntries(
      this.stateNames.map((name) => {
        const initial = zeros(variable.shape);
        const state = new Variable(initial, {
          name: `${this.name}/${variable.name}/${name}`,
          trainable: false,
        });
        initial.dispose();
        return [name, state];
      }),
    );
    this.#states.set(variable, made);
    return made;
  }

  #checkedRate(value: unknown): number {
    if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
    throw new ValueError({
      op: this.name,
      rule: '`learningRate` is a number of at least 0.',
      received: `learningRate: ${describe(value)}`,
      mend: 'pass a number such as 0.001.',
    });
  }

  #check(gradients: readonly (Tensor | null)[], variables: readonly Variable[]): void {
    if (gradients.length !== variables.length || gradients.every((gradient) => gradient === null)) {
      throw new ValueError({
        op: this.name,
        rule: 'there is a gradient for each variable, and at least one that is not null.',
        received: `${gradients.length} gradients, ${gradients.filter((g) => g === null).length} of them null, for ${variables.length} variables`,
        mend: 'tape.explain(loss, variable) says why a gradient is null.',
      });
    }
    variables.forEach((variable, i) => {
      const gradient = gradients[i];
      if (!gradient) return;
      const parts = {
        op: this.name,
        rule: 'a gradient has the shape and the dtype of its variable, float32.',
        received: `${formatSpec(gradient)} for variable '${variable.name}' ${formatSpec(variable)}`,
        mend: 'pass gradients in the order of the variables.',
      };
      if (!sameShape(gradient.shape, variable.shape)) throw new ShapeError(parts);
      if (gradient.dtype !== 'float32' || variable.dtype !== 'float32') throw new DTypeError(parts);
    });
  }
}
