/**
 * @file Optimizer: what all optimizers have in common. It counts steps, knows the learning rate, keeps states beside the
 * variables that it moves, and has each step done by few launches. Everything stays on the device; a step waits for
 * nothing. Behaviour, names and the order of variables are those of Keras's BaseOptimizer.
 */
import type { TypedData } from '../../core/dtype.ts';
import { ValueError } from '../../core/errors.ts';
import { describe, requireInteger } from '../../core/shape.ts';
import { onReplay } from '../../webgpu/onReplay.ts';
import { DynamicScalar } from '../../webgpu/params.ts';
import { activeRecording, forReal, withRecording } from '../../webgpu/activeRecording.ts';
import { mul } from '../../ops/arithmetic.ts';
import { withRecorders } from '../../ops/recording.ts';
import { tidy } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Variable } from '../../tensor/variable.ts';
import { configOf } from '../family.ts';
import { snakeCase, uniqueName } from '../names.ts';
import { checkStep, checkVariables, requireKnownVariables } from './checkStep.ts';
import { constrain } from './constrain.ts';
import type { EngineParts, StepEngine } from './engine.ts';
import { HostVariable } from './hostVariable.ts';
import {
  clippingOf,
  completeOptions,
  type LearningRate,
  type OptimizerOptions,
  type StepOptions,
} from './options.ts';
import { scheduleOf } from './schedules/index.ts';
import type { LearningRateSchedule } from './schedules/schedule.ts';
import { setWeights, type WeightValue } from './setWeights.ts';

/** A variable of an optimizer: on the device, or a number on the host. */
export type OptimizerVariable = Variable | HostVariable;

/**
 * Base class of optimizers. A subclass has an engine that moves variables, and sets what changes from step to step in
 * `advance`; most are FusedOptimizers.
 */
export abstract class Optimizer {
  static readonly className: string = 'Optimizer';
  readonly name: string;
  readonly options: StepOptions;
  #rate: number | LearningRateSchedule;
  /** Calls of `apply`, those that only accumulate included. */
  #calls = 0;
  #variables: ReadonlySet<Variable> | null = null;
  #engine: StepEngine | null = null;
  /** Whether a recording was given up already so that variables could come home: it is worth that once. */
  #asked = false;
  readonly #excluded = { variables: new Set<Variable>(), names: [] as string[] };
  readonly #live = {
    update: new DynamicScalar(1),
    overwrite: new DynamicScalar(0),
    decay: new DynamicScalar(0),
    average_momentum: new DynamicScalar(0),
  };

  constructor(options: OptimizerOptions, own: readonly string[] = []) {
    const { className } = this.constructor as typeof Optimizer;
    const { learningRate = 0.001, name } = options;
    if (name !== undefined && (typeof name !== 'string' || name === '')) {
      throw new ValueError({
        op: className,
        rule: '`name` is a string.',
        received: `name: ${describe(name)}`,
        hint: "leave it out for the class's name.",
      });
    }
    this.options = completeOptions(name ?? className, options, own);
    this.name = name ?? uniqueName(snakeCase(className));
    this.#rate = this.#checkedRate(learningRate);
  }

  /** The class by its Keras name, which survives minification. */
  get className(): string {
    return (this.constructor as typeof Optimizer).className;
  }

  /** What moves the variables. Called once, by `build`. */
  protected abstract makeEngine(parts: EngineParts): StepEngine;

  /** Sets the rule's parameters for step number `step`, from 1, at the learning rate `rate`. Runs before each step. */
  protected abstract advance(step: number, rate: number): void;

  /** Numbers of the rule's own that files keep, after all others. */
  protected get ownNumbers(): readonly HostVariable[] {
    return [];
  }

  /** Whether a step squares gradients: it then takes the squares of slices (ops/slices.ts), as Keras does. */
  get readsSquares(): boolean {
    const { clipnorm, globalClipnorm } = this.options;
    return clipnorm !== null || globalClipnorm !== null;
  }

  /** The rate of the next step. Settable between steps, to a number or a schedule. */
  get learningRate(): number {
    return typeof this.#rate === 'number' ? this.#rate : this.#rate.call(this.#calls);
  }

  /** Errors: ValueError; also for a number where a schedule sets the rate. */
  set learningRate(value: LearningRate) {
    const rate = this.#checkedRate(value);
    if (typeof rate === 'number' && typeof this.#rate !== 'number') {
      throw new ValueError({
        op: this.name,
        rule: 'a learning rate that a schedule sets is not set by hand.',
        received: `learningRate: ${describe(value)}`,
        hint: 'make the optimizer with a number, or assign another schedule.',
      });
    }
    this.#rate = rate;
  }

  /** The schedule that sets the learning rate; null where it is a number. */
  get schedule(): LearningRateSchedule | null {
    return typeof this.#rate === 'number' ? null : this.#rate;
  }

  /** Steps by which the variables were moved so far. */
  get iterations(): number {
    return Math.floor(this.#calls / (this.options.gradientAccumulationSteps ?? 1));
  }

  /** Whether the states exist. */
  get built(): boolean {
    return this.#variables !== null;
  }

  /** The variables that it moves. Empty before `build` or the first step. */
  get trainableVariables(): readonly Variable[] {
    return [...(this.#variables ?? [])];
  }

  /**
   * Makes the states of `variables`, which this optimizer is to move; small variables move into buffers that they share.
   * The first step does so, too; called again it only brings variables that were assigned since back into place, as is
   * good before a step is captured. Errors: ValueError, DTypeError, DisposedError for variables that can't be moved; and
   * for ones that it doesn't know, when it was built with others.
   */
  build(variables: readonly Variable[]): void {
    if (this.#variables) {
      requireKnownVariables(this.name, this.#variables, variables);
      const engine = this.#engine;
      if (engine) forReal(() => engine.settle());
      return;
    }
    checkVariables(this.name, variables);
    const parts = {
      variables,
      numbers: this.#numbers,
      extras: this.#extras,
      isDecayed: (variable: Variable) => this.#isDecayed(variable),
    };
    const recording = activeRecording();
    const engine = withRecording(null, () => withRecorders([], () => tidy(() => this.makeEngine(parts))));
    recording?.refuse(`optimizer '${this.name}' makes its states, which a replay would begin anew`);
    recording?.afterRefusal.push(() => engine.settle());
    this.#engine = engine;
    this.#variables = new Set(variables);
  }

  /**
   * The state, in Keras's order: the count of steps, the learning rate unless a schedule sets it, then running averages,
   * accumulated gradients and the rule's own states.
   */
  get variables(): OptimizerVariable[] {
    const count = {
      check: (value: number) => requireInteger(this.name, 'iteration', value, 0),
      get: () => this.#calls,
      set: (value: number) => {
        this.#calls = value;
      },
    };
    const rate = {
      check: (value: number) => void this.#checkedRate(value),
      get: () => this.learningRate,
      set: (value: number) => {
        this.learningRate = value;
      },
    };
    return [
      new HostVariable(`${this.name}/iteration`, 'int32', count),
      ...(this.schedule ? [] : [new HostVariable(`${this.name}/learning_rate`, 'float32', rate)]),
      ...(this.#engine?.stateVariables ?? []),
      ...this.ownNumbers,
    ];
  }

  /** What a state of `variable` is called. */
  protected stateName(variable: { readonly path: string }, state: string): string {
    return `${this.name}/${variable.path.replaceAll('/', '_')}_${state}`;
  }

  /** Values of `variables`, read back. */
  async getWeights(): Promise<TypedData[]> {
    return Promise.all(this.variables.map(async (variable) => (await variable.data()) as TypedData));
  }

  /**
   * Takes values for `variables`, in their order. Errors: ValueError before `build`; ShapeError where the count or a size
   * differs.
   */
  setWeights(values: readonly WeightValue[]): void {
    setWeights(this.name, this.built, this.variables, values);
  }

  /** Leaves variables out of weight decay: these, and those whose path has one of `names` in it. Before `build`. */
  excludeFromWeightDecay({
    variables = [],
    names = [],
  }: {
    variables?: readonly Variable[];
    names?: readonly string[];
  }): void {
    if (this.built) {
      throw new ValueError({
        op: this.name,
        rule: 'what weight decay leaves out is said before the first step.',
        received: 'excludeFromWeightDecay after `build`',
        hint: 'call it right after making the optimizer.',
      });
    }
    for (const variable of variables) this.#excluded.variables.add(variable);
    this.#excluded.names.push(...names);
  }

  /** The loss times `lossScaleFactor`, of which gradients are to be taken; the loss itself where there is no factor. */
  scaleLoss(loss: Tensor): Tensor {
    const { lossScaleFactor } = this.options;
    return lossScaleFactor === null ? loss : mul(loss, lossScaleFactor);
  }

  /**
   * One step: moves each variable by its gradient. A null gradient leaves its variable, and its state, as they are.
   * Without `variables` the gradients are those of the variables that it was built with.
   * Errors: ValueError where lists differ in length, all gradients are null or a variable is unknown; ShapeError and
   * DTypeError where a gradient isn't like its variable; DeviceError, DisposedError.
   */
  apply(
    gradients: readonly (Tensor | null)[],
    variables: readonly Variable[] = this.trainableVariables,
  ): void {
    const known = checkStep(this.name, gradients, variables);
    if (this.#variables) requireKnownVariables(this.name, this.#variables, variables);
    else this.build(variables);
    withRecorders([], () =>
      tidy(() => {
        const engine = this.#engine as StepEngine;
        this.#settle(engine);
        onReplay(this.#count);
        engine.run(known);
        constrain([...known.keys()]);
      }),
    );
  }

  /** At the end of training: variables take the values of their running averages, where there are such. */
  finalizeVariableValues(variables: readonly Variable[] = this.trainableVariables): void {
    if (!this.options.useEma || !this.#variables) return;
    requireKnownVariables(this.name, this.#variables, variables);
    this.#engine?.takeAverages(variables);
  }

  /** Brings the variables to where launches find them, unless a recording has found them elsewhere before. */
  #settle(engine: StepEngine): void {
    const recording = activeRecording();
    if (engine.settled) return;
    if (!recording || recording.dry) forReal(() => engine.settle());
    else if (!this.#asked) {
      this.#asked = true;
      recording.refuse(`variables of optimizer '${this.name}' were assigned since its last step`);
      recording.afterRefusal.push(() => engine.settle());
    }
  }

  /** Frees the state. The variables stay. */
  dispose(): void {
    this.#engine?.dispose();
    this.#engine = null;
    this.#variables = null;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  /** All options, so that `fromConfig` makes an equal optimizer. */
  getConfig(): Record<string, unknown> {
    const learningRate = typeof this.#rate === 'number' ? this.#rate : configOf(this.#rate);
    return { name: this.name, learningRate, ...this.options };
  }

  /** An optimizer of this class. Errors: ValueError for options. */
  static fromConfig<T extends Optimizer>(
    this: new (
      options: never,
    ) => T,
    config: Readonly<Record<string, unknown>>,
  ): T {
    return new this(config as never);
  }

  /** What all launches of a step share. */
  get #numbers() {
    const { lossScaleFactor, gradientAccumulationSteps, clipvalue, clipnorm, globalClipnorm } = this.options;
    return {
      ...this.#live,
      loss_scale: lossScaleFactor ?? 1,
      accumulation_steps: gradientAccumulationSteps ?? 1,
      clip: clipvalue ?? clipnorm ?? globalClipnorm ?? 0,
    };
  }

  get #extras() {
    const { useEma, gradientAccumulationSteps, lossScaleFactor, weightDecay } = this.options;
    return {
      clipping: clippingOf(this.options),
      useEma,
      accumulating: gradientAccumulationSteps !== null,
      scaled: lossScaleFactor !== null,
      decayed: weightDecay !== null,
    };
  }

  /** What changes from step to step. */
  readonly #count = (): void => {
    const { gradientAccumulationSteps, emaMomentum, emaOverwriteFrequency, weightDecay } = this.options;
    const every = gradientAccumulationSteps ?? 1;
    const { iterations, learningRate } = this;
    const isUpdate = (this.#calls + 1) % every === 0;
    const live = this.#live;
    live.update.value = Number(isUpdate);
    live.decay.value = learningRate * (weightDecay ?? 0);
    // The first average is the values themselves.
    live.average_momentum.value = iterations === 0 ? 0 : emaMomentum;
    live.overwrite.value = Number(
      emaOverwriteFrequency !== null && (iterations + 1) % emaOverwriteFrequency === 0,
    );
    if (isUpdate) this.advance(iterations + 1, learningRate);
    this.#calls++;
  };

  #isDecayed(variable: Variable): boolean {
    const { variables, names } = this.#excluded;
    return !variables.has(variable) && !names.some((name) => variable.path.includes(name));
  }

  #checkedRate(value: unknown): number | LearningRateSchedule {
    if (typeof value === 'object' || typeof value === 'function') return scheduleOf(value);
    if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
    throw new ValueError({
      op: this.name,
      rule: '`learningRate` is a number of at least 0, or a schedule.',
      received: `learningRate: ${describe(value)}`,
      hint: 'pass a number such as 0.001, or schedules.exponentialDecay({ … }).',
    });
  }
}
