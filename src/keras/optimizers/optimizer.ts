/**
 * @file Optimizer: the base of all optimizers. It counts steps, applies the learning rate, keeps slot variables and runs
 * each step in few launches, without readback. Behaviour, names and the order of variables follow Keras's BaseOptimizer.
 */
import { checkOptions, rejectExtraArguments } from '../../core/options.ts';
import type { TypedData } from '../../core/dtype.ts';
import { atOnce, eachWithin, type Pieces } from '../../core/pieces.ts';
import { ValueError } from '../../core/errors.ts';
import { describe, requireInteger } from '../../core/shape.ts';
import { addMethodHints } from '../../core/methodHints.ts';
import { rejectUnknownProperties } from '../../core/unknownProperties.ts';
import { currentExecutor, onReplay, untraced } from '../../execution/currentExecutor.ts';
import { DynamicScalar } from '../../webgpu/params.ts';
import { mul } from '../../ops/elementwise/arithmetic.ts';
import { unrecorded } from '../../ops/define/recorders.ts';
import { tidy } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Variable } from '../../tensor/variable.ts';
import { configOf } from '../namedObjects.ts';
import { snakeCase, uniqueName } from '../names.ts';
import { type Declaration, inheritedDeclaration } from '../options/declaration.ts';
import { underPresentNames } from '../options/formerNames.ts';
import { defineFields, readOptions, writeOptions } from '../options/option.ts';
import { countAppliedStep, noteOptimized } from '../updateRecord.ts';
import { checkStep, checkVariables, requireKnownVariables, widened } from './checkStep.ts';
import { constrain } from './constrain.ts';
import type { EngineParts, StepEngine } from './stepEngine.ts';
import { HostVariable } from './hostVariable.ts';
import { DecayExclusions, type ExcludedFromDecay } from './excludedFromDecay.ts';
import {
  adviceOn,
  completeOptions,
  extrasOf,
  fixOptions,
  type LearningRate,
  type OptimizerOptions,
  optionNames,
  type StepOptions,
} from './optimizerOptions.ts';
import { checkedRate, rateAt } from './learningRate.ts';
import { copyValues, swapValues } from './copyValues.ts';
import type { LearningRateSchedule } from './schedules/schedule.ts';
import { setWeights, type WeightValue } from './setWeights.ts';

/** A variable of an optimizer, on the device or a number on the host. */
export type OptimizerVariable = Variable | HostVariable;

/** An app's class that extends none of the library's. */
const undeclared: Declaration = { className: '', table: {}, common: optionNames };

/** Methods of Keras, TF.js and PyTorch. */
const methodHints = {
  minimize:
    'const { value, gradients: g } = gradients(() => loss, weights), then optimizer.apply(g, weights); or compile and fit.',
  'applyGradients step': 'optimizer.apply(gradients, weights).',
  computeGradients: 'gradients(() => loss, weights).',
  zeroGrad: 'leave it out: gradients are values that apply takes, and are not accumulated.',
  'lr getLearningRate': 'optimizer.learningRate.',
  'stateDict loadStateDict': 'getWeights and setWeights, or saveCheckpoint.',
};

/**
 * Base class of optimizers. A subclass creates the engine that updates variables, and sets in `advance` what changes from
 * step to step. Most are FusedOptimizers.
 */
export abstract class Optimizer {
  static readonly className: string = 'Optimizer';
  readonly name: string;
  readonly options: StepOptions;
  readonly #declaration: Declaration;
  /** Options of the class itself. */
  readonly #own: readonly string[];
  #rate: number | LearningRateSchedule;
  /** Calls of `apply`, including those that only accumulate gradients. */
  #calls = 0;
  #variables: ReadonlySet<Variable> | null = null;
  #engine: StepEngine | null = null;
  /** Work of `build` that isn't finished. */
  #building: Pieces<void> | null = null;
  /** Whether a capture has been abandoned so that variables could be repacked. That is done only once. */
  #gaveUpCapture = false;
  #holdsAverages = false;
  readonly #excluded = new DecayExclusions();
  readonly #dynamic = {
    update: new DynamicScalar(1),
    overwrite: new DynamicScalar(0),
    decay: new DynamicScalar(0),
    average_momentum: new DynamicScalar(0),
  };

  constructor(given: OptimizerOptions = {}, own: readonly string[] = []) {
    const { className } = new.target;
    this.#declaration = inheritedDeclaration(new.target) ?? undeclared;
    const { table, common, defaults, hint } = this.#declaration;
    this.#own = [...Object.keys(table), ...own];
    const hasRate = common.includes('learningRate') && !this.#own.includes('lr');
    const options = hasRate ? underPresentNames(className, given, { lr: 'learningRate' }) : given;
    checkOptions(className, options, [...this.#own, ...common], hint);
    addMethodHints(Optimizer.prototype, 'an optimizer', methodHints);
    rejectUnknownProperties(Optimizer.prototype, (optimizer, property) => adviceOn(property, optimizer.#own));
    const set = Object.entries(options).filter(([, value]) => value !== undefined);
    const chosen: OptimizerOptions = { ...defaults, ...Object.fromEntries(set) };
    const { learningRate = 0.001, name } = chosen;
    if (name !== undefined && (typeof name !== 'string' || name === '')) {
      throw new ValueError({
        op: className,
        rule: '`name` is a string.',
        received: `name: ${describe(name)}`,
        hint: "leave it out for the class's name.",
      });
    }
    this.options = Object.freeze(completeOptions(name ?? className, chosen));
    this.name = name ?? uniqueName(snakeCase(className));
    this.#rate = checkedRate(this.name, learningRate);
    defineFields(this, table, readOptions(this.name, table, options));
  }

  /** Keras's name of the class, which survives minification. */
  get className(): string {
    return (this.constructor as typeof Optimizer).className;
  }

  /** Creates the engine that updates the variables, in pieces: many variables take long. Called once, by `build`. */
  protected abstract makeEngine(parts: EngineParts): Pieces<StepEngine>;

  /** Sets the parameters of the update rule for step `step` (from 1) at learning rate `rate`. Called before each step. */
  protected abstract advance(step: number, rate: number): void;

  /** Numbers of the update rule that are saved after all other variables. */
  protected get ownNumbers(): readonly HostVariable[] {
    return [];
  }

  /**
   * Whether the slices of a gradient (ops/indexing/slices.ts) matter, besides their sum: where they are clipped, as in Keras each by itself,
   * or squared. Accumulated gradients are sums. A rule that squares gradients returns true.
   */
  get readsSlices(): boolean {
    const { clipvalue, clipnorm, globalClipnorm } = this.options;
    return clipvalue !== null || clipnorm !== null || globalClipnorm !== null;
  }

  /** The learning rate of the next step. Can be set between steps, to a number or a schedule. */
  get learningRate(): number {
    return rateAt(this.name, this.#rate, this.#calls);
  }

  /** Errors: ValueError for an invalid rate, or for a number if a schedule sets the rate. */
  set learningRate(value: LearningRate) {
    const rate = checkedRate(this.name, value);
    if (typeof rate === 'number' && typeof this.#rate !== 'number') {
      throw new ValueError({
        op: this.name,
        rule: 'a learning rate that comes from a schedule cannot be set to a number.',
        received: `learningRate: ${describe(value)}`,
        hint: 'create the optimizer with a number, or assign another schedule.',
      });
    }
    this.#rate = rate;
  }

  /** The learning rate schedule; null if the rate is a number. */
  get schedule(): LearningRateSchedule | null {
    return typeof this.#rate === 'number' ? null : this.#rate;
  }

  /** Number of updates so far. */
  get iterations(): number {
    return Math.floor(this.#calls / (this.options.gradientAccumulationSteps ?? 1));
  }

  /** Whether the slot variables exist. */
  get built(): boolean {
    return this.#variables !== null;
  }

  /** The variables that it updates. Empty before `build` or the first step. */
  get trainableVariables(): readonly Variable[] {
    return [...(this.#variables ?? [])];
  }

  /**
   * Creates the slot variables of `variables` and packs small variables into shared buffers. The first step calls it if
   * needed. Called again, it only repacks variables that were assigned since, which helps before a step is captured.
   * Errors: ValueError, DTypeError, DisposedError for variables that cannot be updated, or that it was not built with.
   */
  build(variables: readonly Variable[], ...extra: never[]): void {
    rejectExtraArguments('build', extra, ['variables']);
    atOnce(this.buildInPieces(variables));
  }

  /**
   * `build` in pieces. If it is ended early, nothing is built.
   * @internal
   */
  *buildInPieces(variables: readonly Variable[]): Pieces<void> {
    if (this.#variables) return this.#buildAgain(this.#variables, variables);
    // What runs between two pieces may do the rest of this work, or end it early.
    while (!this.#variables) {
      this.#building ??= this.#buildFirst(variables);
      yield* this.#building;
    }
    requireKnownVariables(this.name, this.#variables, variables);
  }

  *#buildFirst(variables: readonly Variable[]): Pieces<void> {
    try {
      checkVariables(this.name, variables);
      const parts = {
        variables,
        numbers: this.#numbers,
        extras: extrasOf(this.options),
        isDecayed: (variable: Variable) => !this.#excluded.has(variable),
      };
      const engine = yield* eachWithin(this.makeEngine(parts), (piece) =>
        untraced(() => unrecorded(() => tidy(piece))),
      );
      const reason = `optimizer '${this.name}' creates its slot variables, which a replay would reset`;
      currentExecutor()?.postpone(reason, () => engine.repack());
      this.#engine = engine;
      this.#variables = new Set(variables);
      // Recorded steps have them as constants.
      fixOptions(this, this.#own);
      noteOptimized(variables);
    } finally {
      this.#building = null;
    }
  }

  #buildAgain(known: ReadonlySet<Variable>, variables: readonly Variable[]): void {
    requireKnownVariables(this.name, known, variables);
    const engine = this.#engine;
    if (engine) untraced(() => engine.repack());
  }

  /**
   * The optimizer's state, in Keras's order: the step count, the learning rate unless a schedule sets it, then moving
   * averages, accumulated gradients and the slot variables of the update rule.
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
      check: (value: number) => void checkedRate(this.name, value),
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

  /** Returns the name of a slot variable of `variable`. */
  protected slotName(variable: { readonly path: string }, slot: string): string {
    return `${this.name}/${variable.path.replaceAll('/', '_')}_${slot}`;
  }

  /** Reads back the values of `variables`. */
  async getWeights(...extra: never[]): Promise<TypedData[]> {
    rejectExtraArguments('getWeights', extra, []);
    return Promise.all(this.variables.map(async (variable) => (await variable.data()) as TypedData));
  }

  /** Sets `variables` in order. Errors: ValueError before `build`; ShapeError if the count or a size differs. */
  setWeights(values: readonly WeightValue[], ...extra: never[]): void {
    rejectExtraArguments('setWeights', extra, ['values']);
    setWeights(this.name, this.built, this.variables, values);
  }

  /** Excludes from weight decay `variables`, and those whose path contains one of `names`. Call it before `build`. */
  excludeFromWeightDecay(excluded: ExcludedFromDecay): void {
    if (this.built) {
      throw new ValueError({
        op: this.name,
        rule: 'variables are excluded from weight decay before the optimizer is built.',
        received: 'excludeFromWeightDecay after `build`',
        hint: 'call it right after creating the optimizer.',
      });
    }
    this.#excluded.add(excluded);
  }

  /** Returns the loss times `lossScaleFactor`, if there is one. Take gradients of the result. */
  scaleLoss(loss: Tensor): Tensor {
    const { lossScaleFactor } = this.options;
    return lossScaleFactor === null ? loss : mul(loss, lossScaleFactor);
  }

  /**
   * One step: updates each variable by its gradient. A variable with a null gradient is left unchanged, with its slots.
   * `variables` default to those that the optimizer was built with.
   * Errors: ValueError if the lists differ in length, all gradients are null or a variable is unknown; ShapeError and
   * DTypeError if a gradient doesn't match its variable; DeviceError, DisposedError.
   */
  apply(
    gradients: readonly (Tensor | null)[],
    variables: readonly Variable[] = this.trainableVariables,
    ...extra: never[]
  ): void {
    rejectExtraArguments('apply', extra, ['gradients', 'variables']);
    const known = checkStep(this.name, gradients, variables);
    countAppliedStep();
    if (this.#variables) requireKnownVariables(this.name, this.#variables, variables);
    else this.build(variables);
    unrecorded(() =>
      tidy(() => {
        const engine = this.#engine as StepEngine;
        this.#repack(engine);
        onReplay(this.#advanceStep);
        engine.run(widened(known));
        constrain([...known.keys()]);
      }),
    );
  }

  /** Call it at the end of training: sets variables to their moving averages, if `useEma` is set. */
  finalizeVariableValues(variables: readonly Variable[] = this.trainableVariables, ...extra: never[]): void {
    rejectExtraArguments('finalizeVariableValues', extra, ['variables']);
    if (!this.options.useEma || !this.#variables) return;
    requireKnownVariables(this.name, this.#variables, variables);
    const isSwapped = this.#holdsAverages;
    this.#holdsAverages = false;
    for (const [variable, average] of this.#averaged(variables)) {
      if (isSwapped) copyValues(variable, average);
      else copyValues(average, variable);
    }
  }

  /**
   * Whether the variables hold their moving averages, since `swapAverages`.
   * @internal
   */
  get holdsAverages(): boolean {
    return this.#holdsAverages;
  }

  /**
   * Swaps the values of variables with their moving averages. Called twice, it changes nothing. Errors: ValueError without
   * `useEma`.
   * @internal
   */
  swapAverages(): void {
    if (!this.options.useEma) {
      throw new ValueError({
        op: this.name,
        rule: 'averages of variables are kept where `useEma` is true.',
        received: 'useEma: false',
        hint: `create the optimizer with { useEma: true }.`,
      });
    }
    this.#holdsAverages = !this.#holdsAverages && this.built;
    for (const [variable, average] of this.#averaged(this.trainableVariables)) swapValues(variable, average);
  }

  /** Returns the variables with their moving averages. */
  #averaged(variables: readonly Variable[]): (readonly [variable: Variable, average: Variable])[] {
    return variables.flatMap((variable) => {
      const average = this.#engine?.averageOf(variable);
      return average && !variable.disposed ? [[variable, average] as const] : [];
    });
  }

  /** Repacks the variables, if needed. In a capture that is done afterwards. */
  #repack(engine: StepEngine): void {
    const executor = currentExecutor();
    if (engine.isPacked || !executor) return;
    // This capture is abandoned. If variables are replaced in every step, later captures accept unpacked variables.
    if (executor.mode === 'captured' && this.#gaveUpCapture) return;
    this.#gaveUpCapture ||= executor.mode === 'captured';
    const reason = `variables of optimizer '${this.name}' were assigned since its last step`;
    executor.postpone(reason, () => engine.repack());
  }

  /** Frees the slot variables. The variables are kept. */
  dispose(): void {
    this.#engine?.dispose();
    this.#engine = null;
    this.#variables = null;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  /** Returns all options; `fromConfig` creates an equal optimizer from them. */
  getConfig(): Record<string, unknown> {
    const learningRate = typeof this.#rate === 'number' ? this.#rate : configOf(this.#rate);
    const { table, common } = this.#declaration;
    const all = Object.entries({ name: this.name, learningRate, ...this.options });
    const taken = all.filter(([option]) => common.includes(option));
    return { ...Object.fromEntries(taken), ...writeOptions(this, table) };
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

  /** Parameters that all launches of a step share. */
  get #numbers() {
    const { lossScaleFactor, gradientAccumulationSteps, clipvalue, clipnorm, globalClipnorm } = this.options;
    return {
      ...this.#dynamic,
      loss_scale: lossScaleFactor ?? 1,
      accumulation_steps: gradientAccumulationSteps ?? 1,
      clip: clipvalue ?? clipnorm ?? globalClipnorm ?? 0,
    };
  }

  /** Sets what changes from step to step. */
  readonly #advanceStep = (): void => {
    const { gradientAccumulationSteps, emaMomentum, emaOverwriteFrequency, weightDecay } = this.options;
    const every = gradientAccumulationSteps ?? 1;
    const { iterations } = this;
    // Its own rate: an optimizer of optimizers has none that could be read.
    const learningRate = rateAt(this.name, this.#rate, this.#calls);
    const isUpdate = (this.#calls + 1) % every === 0;
    const dynamic = this.#dynamic;
    dynamic.update.value = Number(isUpdate);
    dynamic.decay.value = learningRate * (weightDecay ?? 0);
    // The average starts at the values themselves.
    dynamic.average_momentum.value = iterations === 0 ? 0 : emaMomentum;
    dynamic.overwrite.value = Number(
      emaOverwriteFrequency !== null && (iterations + 1) % emaOverwriteFrequency === 0,
    );
    if (isUpdate) this.advance(iterations + 1, learningRate);
    this.#calls++;
  };
}
